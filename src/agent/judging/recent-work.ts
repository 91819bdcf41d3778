const halfLifeMs = 60_000
const maxRemembered = 10_000

interface Remembered {
  readonly workMs: number
  readonly atMs: number
}

/**
 * How much the thread has worked for each check of late: what it worked a minute ago counts by half. Of those
 * remembered, the one that it worked for longest ago is forgotten first.
 */
export class RecentWork {
  readonly #monotonicMs: () => number
  readonly #byCheck = new Map<string, Remembered>()

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** In milliseconds. */
  of(checkId: string): number {
    const remembered = this.#byCheck.get(checkId)
    if (!remembered) return 0
    return remembered.workMs * 0.5 ** ((this.#monotonicMs() - remembered.atMs) / halfLifeMs)
  }

  add(checkId: string, ms: number): void {
    const workMs = this.of(checkId) + ms
    this.#byCheck.delete(checkId)
    this.#byCheck.set(checkId, { workMs, atMs: this.#monotonicMs() })
    const [oldest] = this.#byCheck.keys()
    if (oldest !== undefined && this.#byCheck.size > maxRemembered) this.#byCheck.delete(oldest)
  }
}
