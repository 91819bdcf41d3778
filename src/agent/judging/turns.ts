import { RecentWork } from './recent-work.ts'
import { sliceMs } from './work.ts'

/** What waits for its turn in the thread. */
export interface Waiting {
  readonly checkId: string
  /** When it came, in monotonic milliseconds. */
  readonly cameMs: number
  /** How many came before it. */
  readonly place: number
}

/** A check that goes on for so long while an attempt of it waits will not be judged as fast as it runs. */
const maxWaitMs = 30_000

/**
 * Who has the next turn: an attempt of the check that the thread has worked least for of late, so that one that takes
 * much waits for others, and they for no more than a turn of its. Among equals, who came first.
 */
export class Turns<W extends Waiting> {
  readonly #recent: RecentWork
  #waiting: W[] = []

  constructor(monotonicMs: () => number) {
    this.#recent = new RecentWork(monotonicMs)
  }

  /** One that comes, or comes again. */
  add(waiting: W): void {
    this.#waiting.push(waiting)
  }

  /** Takes out those of the same check that have waited for too long when this one comes. */
  takeOverdue({ checkId, cameMs }: Pick<Waiting, 'checkId' | 'cameMs'>): W[] {
    const isOverdue = (other: W) => other.checkId === checkId && cameMs - other.cameMs > maxWaitMs
    const overdue = this.#waiting.filter(isOverdue)
    if (overdue.length > 0) this.#waiting = this.#waiting.filter((other) => !isOverdue(other))
    return overdue
  }

  /** Takes out who is next; null where nobody waits. */
  next(): W | null {
    let first: W | null = null
    for (const one of this.#waiting) if (first === null || this.#isBefore(one, first)) first = one
    this.#waiting = this.#waiting.filter((one) => one !== first)
    return first
  }

  /** The thread has worked for so many milliseconds on an attempt of the check. */
  worked(checkId: string, ms: number): void {
    this.#recent.add(checkId, ms)
  }

  /** Whether another check waits that comes first once this one had a turn. */
  hasRival(checkId: string): boolean {
    const level = this.#level(checkId)
    return this.#waiting.some((other) => other.checkId !== checkId && this.#level(other.checkId) <= level)
  }

  #isBefore(one: W, other: W): boolean {
    const difference = this.#level(one.checkId) - this.#level(other.checkId)
    return difference === 0 ? one.place < other.place : difference < 0
  }

  /** In turns: what takes less than one is as good as nothing. */
  #level(checkId: string): number {
    return Math.floor(this.#recent.of(checkId) / sliceMs)
  }
}
