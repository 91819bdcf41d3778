/** 0 or 1: the same on both engines. */
export type Flag = 0 | 1
