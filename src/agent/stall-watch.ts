import { systemClock } from '../lib/clock.ts'

/** Finer would tell more of short stalls, and wake an idle agent more often. */
const tickMs = 50
/** A loop with much to do comes later than it should all the time: that is no standing still. */
const leastMs = 50
/** Longer than any attempt of a network check. */
const keptMs = 60_000
/** A jump of the wall clock by as much is a machine that slept: the monotonic clock of Linux sleeps with it. */
const leastSleepMs = 1000

interface Stall {
  /** When it was over, in monotonic milliseconds. */
  readonly endMs: number
  /** How long the loop stood still, in monotonic milliseconds: never more than it did, and less by a tick at most. */
  readonly stoodMs: number
  /** How long the machine slept besides. */
  readonly sleptMs: number
}

/**
 * Notices when this process stood still: a blocked event loop, a stopped process, a machine that was suspended. What
 * an attempt then saw as slow or timed out may be our own fault (semantics §3, errored). Remembers the last minute.
 */
export class StallWatch {
  readonly #monotonicMs: () => number
  readonly #wallMs: () => number
  readonly #timer: NodeJS.Timeout
  readonly #stalls: Stall[] = []
  #tickedMs: number
  #tickedWallMs: number

  constructor(monotonicMs: () => number, wallMs: () => number = systemClock.now) {
    this.#monotonicMs = monotonicMs
    this.#wallMs = wallMs
    this.#tickedMs = monotonicMs()
    this.#tickedWallMs = wallMs()
    this.#timer = setInterval(() => this.#tick(), tickMs).unref()
  }

  /** How many milliseconds this process stood still between two monotonic instants; up to now unless told. */
  stalledMsSince(fromMs: number, toMs = Number.POSITIVE_INFINITY): number {
    // Whoever asks may be called before the timer is: the stall that just ended is not among the kept ones then.
    return [...this.#stalls, this.#sinceTick()].reduce((sum, stall) => sum + within(stall, fromMs, toMs), 0)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const stall = this.#sinceTick()
    this.#tickedMs = stall.endMs
    this.#tickedWallMs = this.#wallMs()
    if (stall.stoodMs > 0 || stall.sleptMs > 0) this.#stalls.push(stall)
    // Each took a tick's time at least, so there are never many.
    while (this.#stalls[0] && this.#stalls[0].endMs < stall.endMs - keptMs) this.#stalls.shift()
  }

  #sinceTick(): Stall {
    const endMs = this.#monotonicMs()
    const passedMs = endMs - this.#tickedMs
    const lateMs = passedMs - tickMs
    const jumpMs = this.#wallMs() - this.#tickedWallMs - passedMs
    return { endMs, stoodMs: lateMs >= leastMs ? lateMs : 0, sleptMs: jumpMs >= leastSleepMs ? jumpMs : 0 }
  }
}

function within({ endMs, stoodMs, sleptMs }: Stall, fromMs: number, toMs: number): number {
  const beganMs = endMs - stoodMs
  if (endMs <= fromMs || beganMs >= toMs) return 0
  return Math.min(endMs, toMs) - Math.max(beganMs, fromMs) + sleptMs
}
