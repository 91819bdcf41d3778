import type { HopTimings, Phase, PhasesUs, Timings } from '../contract/timings.ts'
import type { Clock } from '../lib/clock.ts'

const nothing = (): Record<Phase, number | null> => ({
  dns: null,
  connect: null,
  tls: null,
  send: null,
  firstByte: null,
  download: null,
})

/**
 * Where the time of one attempt goes, hop by hop. Each phase begins where the one before it ends, and each hop where
 * the one before it ended, so that phases and hops add up to the total exactly (semantics §3).
 */
export class PhaseTimer {
  readonly #clock: Clock
  readonly #startedAt: number
  readonly #endedHops: HopTimings[] = []
  #hop = nothing()
  #hopStartedUs = 0
  #phase: Phase | null = null
  #originMs: number | null = null
  #countedUs = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  /** The phase that the time now goes to; null before a hop's first. */
  get phase(): Phase | null {
    return this.#phase
  }

  enter(phase: Phase): void {
    if (this.#originMs === null) this.#originMs = this.#clock.monotonicMs()
    else if (this.#phase !== null) this.#countInto(this.#phase)
    // What passed since the hop before this one is this one's.
    else this.#countInto(phase)
    this.#phase = phase
    this.#hop[phase] ??= 0
  }

  /** Counts the time up to now. What passes later counts only if another phase is entered. */
  count(): void {
    if (this.#phase !== null) this.#countInto(this.#phase)
  }

  /** Ends a hop where it was last counted. */
  endHop(): HopTimings {
    const startedUs = this.#hopStartedUs
    const timings = { startedUs, totalUs: this.#countedUs - startedUs, phasesUs: this.#hop }
    this.#endedHops.push(timings)
    this.#hop = nothing()
    this.#hopStartedUs = this.#countedUs
    this.#phase = null
    return timings
  }

  /** Of all hops, the one that goes on included. */
  timings(): Timings {
    const hops = [...this.#endedHops.map(({ phasesUs }) => phasesUs), this.#hop]
    return { startedAt: this.#startedAt, totalUs: this.#countedUs, phasesUs: hops.reduce(sum) }
  }

  #countInto(phase: Phase): void {
    // Whole microseconds since the origin, not since the last mark: rounding errors never add up.
    const nowUs = Math.round((this.#clock.monotonicMs() - (this.#originMs ?? 0)) * 1000)
    this.#hop[phase] = (this.#hop[phase] ?? 0) + nowUs - this.#countedUs
    this.#countedUs = nowUs
  }
}

function sum(one: PhasesUs, other: PhasesUs): PhasesUs {
  const add = (phase: Phase) => {
    const [first, second] = [one[phase], other[phase]]
    return first === null || second === null ? (first ?? second) : first + second
  }
  return {
    dns: add('dns'),
    connect: add('connect'),
    tls: add('tls'),
    send: add('send'),
    firstByte: add('firstByte'),
    download: add('download'),
  }
}
