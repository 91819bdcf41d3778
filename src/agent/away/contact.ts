import type { Run } from '../../contract/run.ts'
import { codeOf } from '../service-trouble.ts'

/** away: the service cannot be reached; shut-out: it said that this agent may not have runs. */
export type ContactState = 'in-touch' | 'away' | 'shut-out'

/** One that passes sooner is no absence: the next claim has its runs. */
const awayAfterMs = 1000

/** What a claim asked for and was given. */
export interface ClaimAnswer {
  readonly serverTime: number
  readonly slots: number
  readonly runs: readonly Pick<Run, 'attemptAt'>[]
}

/** Whether the service can be reached, and up to where its claims say who runs what. */
export class Contact {
  readonly #monotonicMs: () => number
  #failingSinceMs: number | null = null
  #shutOut = false
  #coveredUntil: number | null = null
  #waitingSinceMs: number | null = null

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  get state(): ContactState {
    if (this.#shutOut) return 'shut-out'
    const failingMs = this.#failingMs()
    return failingMs !== null && failingMs >= awayAfterMs ? 'away' : 'in-touch'
  }

  /** Milliseconds since the service could be reached; 0 unless away. */
  get awayMs(): number {
    return this.state === 'away' ? (this.#failingMs() ?? 0) : 0
  }

  /** Milliseconds since the claim was sent whose answer is waited for; 0 when there is none. */
  get waitingMs(): number {
    return this.#waitingSinceMs === null ? 0 : this.#monotonicMs() - this.#waitingSinceMs
  }

  /** Whether a failure has to last a little longer to be an absence. */
  get inDoubt(): boolean {
    return this.state === 'in-touch' && this.#failingSinceMs !== null
  }

  /** Epoch ms by the service: slots due up to here were given to this agent or to another. Null before the first claim. */
  get coveredUntil(): number | null {
    return this.#coveredUntil
  }

  asked(): void {
    this.#waitingSinceMs = this.#monotonicMs()
  }

  answered(): void {
    this.#waitingSinceMs = null
  }

  reached({ serverTime, slots, runs }: ClaimAnswer): void {
    // As many as were asked for: others that were due as late as the last of them may be left.
    const last = runs.length >= slots ? runs.at(-1) : undefined
    const covered = last ? Math.min(last.attemptAt - 1, serverTime) : serverTime
    this.#coveredUntil = Math.max(this.#coveredUntil ?? 0, covered)
    this.#failingSinceMs = null
    this.#shutOut = false
  }

  /** What says no is there: only a service that cannot be reached, or cannot answer, leaves the agent alone. */
  failed(error: unknown): void {
    const code = codeOf(error)
    if (code === 'API_KEY_REJECTED') this.#shutOut = true
    if (code === 'SERVICE_UNAVAILABLE') this.#failingSinceMs ??= this.#monotonicMs()
  }

  #failingMs(): number | null {
    return this.#failingSinceMs === null ? null : this.#monotonicMs() - this.#failingSinceMs
  }
}
