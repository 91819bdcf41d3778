import type { BodyMemory } from './body-memory.ts'

/** What may differ between two attempts at one check. */
export interface Circumstances {
  /** Unbounded unless told. */
  readonly memory?: BodyMemory
  /** Names are asked for anew, whatever is known of them. */
  readonly freshDns?: boolean
}
