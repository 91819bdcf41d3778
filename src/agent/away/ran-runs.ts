import type { Run } from '../../contract/run.ts'

/** A service that was away gives no run whose slot is older than its interval; its agents and clocks have this besides. */
const ownMarginMs = 10 * 60_000
/** Longer than a claim's answer is ahead of what is due. */
const givenMarginMs = 60_000
const maxRemembered = 1_000_000

/** By id: until when to remember it, epoch ms; the longest known first. */
type Remembered = Map<string, number>

/** The runs that this agent took on its way: of what it planned by itself and what it was given, neither is run twice. */
export class RanRuns {
  readonly #own: Remembered = new Map()
  readonly #given: Remembered = new Map()

  addOwn({ id, dueAt, intervalMs }: Run, now: number): void {
    remember(this.#own, id, dueAt + intervalMs + ownMarginMs, now)
  }

  addGiven({ id, attemptAt }: Run, now: number): void {
    remember(this.#given, id, Math.max(now, attemptAt) + givenMarginMs, now)
  }

  /** Whether it planned this one by itself. A retry of it is another matter: that the service may give to anybody. */
  wasOwn({ id, attempt }: Run): boolean {
    return attempt === 1 && this.#own.has(id)
  }

  has({ id }: Pick<Run, 'id'>): boolean {
    return this.#own.has(id) || this.#given.has(id)
  }
}

function remember(remembered: Remembered, id: string, until: number, now: number): void {
  remembered.set(id, until)
  for (const [known, end] of remembered) {
    if (end > now && remembered.size <= maxRemembered) break
    remembered.delete(known)
  }
}
