/** 0 or 1: the same on both engines. */
export type Flag = 0 | 1

export const flagOf = (value: boolean): Flag => (value ? 1 : 0)
