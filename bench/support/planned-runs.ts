import { setTimeout as wait } from 'node:timers/promises'
import TinyQueue from 'tinyqueue'
import { type ClaimRequest, claimAheadMs } from '../../src/contract/agent-protocol.ts'
import type { Run } from '../../src/contract/run.ts'
import { runIdOf } from '../../src/contract/run-ids.ts'
import { hashId } from '../../src/lib/ids.ts'
import { firstDueAfter, phaseMsOf } from '../../src/rules/schedule.ts'
import { location, runOf } from './stand-in.ts'

export interface PlannedCheck {
  readonly id: string
  /** Where in its interval it ticks, as the service would have it. */
  readonly phaseMs: number
}

/** Checks that run every `seconds`: 10, 20 or 30. The same ones in every process that asks. */
export function plannedChecks(count: number, seconds: number): readonly PlannedCheck[] {
  return Array.from({ length: count }, (_, index) => {
    const id = hashId('bench', index)
    return { id, phaseMs: phaseMsOf(id, 0, seconds) }
  })
}

/** Gives each slot once, as the service does: as soon as it is due within `claimAheadMs`. */
export class PlannedRuns {
  readonly #intervalMs: number
  readonly #next: TinyQueue<{ readonly checkId: string; readonly dueAt: number }>

  /** Slots later than `fromMs` (epoch). */
  constructor(checks: readonly PlannedCheck[], intervalMs: number, fromMs: number) {
    this.#intervalMs = intervalMs
    const slots = checks.map(({ id, phaseMs }) => ({
      checkId: id,
      dueAt: firstDueAfter({ intervalMs, phaseMs }, fromMs),
    }))
    this.#next = new TinyQueue(slots, (one, other) => one.dueAt - other.dueAt)
  }

  /** Waits for a first run to give, for as long as the claim allows. */
  async claim({ slots, waitMs }: ClaimRequest, gone: AbortSignal): Promise<readonly Run[]> {
    const until = Date.now() + waitMs
    while (this.#inMs() > 0 && Date.now() < until && !gone.aborted) {
      await wait(Math.min(this.#inMs(), until - Date.now()))
    }
    return gone.aborted ? [] : this.#take(slots)
  }

  #inMs(): number {
    return (this.#next.peek()?.dueAt ?? Number.POSITIVE_INFINITY) - claimAheadMs - Date.now()
  }

  #take(slots: number): readonly Run[] {
    const runs: Run[] = []
    while (runs.length < slots && this.#inMs() <= 0) {
      const slot = this.#next.pop()
      if (!slot) break
      const { checkId, dueAt } = slot
      runs.push(runOf(runIdOf(checkId, location, dueAt), checkId, dueAt, this.#intervalMs))
      this.#next.push({ checkId, dueAt: dueAt + this.#intervalMs })
    }
    return runs
  }
}
