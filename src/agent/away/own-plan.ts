import TinyQueue from 'tinyqueue'
import type { CheckSchedule, Schedules } from '../../contract/agent-schedules.ts'
import type { Run } from '../../contract/run.ts'
import { runIdOf } from '../../contract/run-ids.ts'
import { inMaintenance } from '../../rules/maintenance.ts'
import { placement } from '../../rules/placement.ts'
import { firstDueAfter } from '../../rules/schedule.ts'

interface NextSlot {
  readonly check: CheckSchedule
  readonly dueAt: number
}

/**
 * The slots of an agent's own locations, as the service plans them (rules/schedule, rules/placement): whoever computes
 * them gives a run the same id. Each is given once, in the order of dueAt.
 */
export class OwnPlan {
  readonly #windows: Schedules['windows']
  readonly #here: ReadonlySet<string>
  readonly #next: TinyQueue<NextSlot>

  /** Slots later than `afterMs` (epoch). */
  constructor({ checks, windows, locations }: Schedules, afterMs: number) {
    this.#windows = windows
    this.#here = new Set(locations)
    const slots = checks.flatMap((check) => this.#slotAfter(check, afterMs) ?? [])
    this.#next = new TinyQueue(slots, (one, other) => one.dueAt - other.dueAt)
  }

  /** Of the earliest slot that was not given; null when there is none. */
  get nextDueAt(): number | null {
    return this.#next.peek()?.dueAt ?? null
  }

  /** Slots due up to here are somebody else's, or too old. */
  skipUntil(untilMs: number): void {
    for (let slot = this.#next.peek(); slot && slot.dueAt <= untilMs; slot = this.#next.peek()) {
      this.#next.pop()
      this.#push(slot.check, untilMs)
    }
  }

  /**
   * The runs due up to here, but none that is late by more than its interval: those the service calls missed. Those of
   * a window are skipped. Stops after `limit` runs, or a few more of the same check.
   */
  take(now: number, untilMs: number, limit: number): Run[] {
    const runs: Run[] = []
    for (let slot = this.#next.peek(); slot && runs.length < limit; slot = this.#next.peek()) {
      const { check, dueAt } = slot
      if (dueAt > untilMs) break
      this.#next.pop()
      const oldest = now - check.intervalMs
      if (dueAt >= oldest) runs.push(...this.#runsOf(check, dueAt))
      this.#push(check, Math.max(dueAt, oldest - 1))
    }
    return runs
  }

  #runsOf(check: CheckSchedule, dueAt: number): Run[] {
    const windows = check.windows.flatMap((index) => this.#windows[index] ?? [])
    if (windows.some((window) => inMaintenance(window, dueAt))) return []
    return this.#placesOf(check, dueAt).map((place) => runOf(check, place, dueAt))
  }

  #push(check: CheckSchedule, afterMs: number): void {
    const slot = this.#slotAfter(check, afterMs)
    if (slot) this.#next.push(slot)
  }

  /** The first that runs here; null when it never does. A round robin is here again after as many ticks as it has places. */
  #slotAfter(check: CheckSchedule, afterMs: number): NextSlot | null {
    let dueAt = afterMs
    for (let ticks = 0; ticks < Math.max(1, check.locations.length); ticks += 1) {
      dueAt = firstDueAfter(check, dueAt)
      if (this.#placesOf(check, dueAt).length > 0) return { check, dueAt }
    }
    return null
  }

  #placesOf(check: CheckSchedule, dueAt: number): string[] {
    const places = placement(check, dueAt, check.locations, check.runParallel)
    return places.filter((place) => this.#here.has(place))
  }
}

function runOf({ checkId, version, intervalMs }: CheckSchedule, location: string, dueAt: number): Run {
  const id = runIdOf(checkId, location, dueAt)
  const first = { attempt: 1, attemptAt: dueAt, firstStartedAt: null }
  return { id, checkId, version, location, dueAt, intervalMs, ...first }
}
