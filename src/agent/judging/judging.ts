import type { Outcome } from '../../contract/outcome.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { judge } from '../../rules/judge.ts'
import { type Report, toReport } from '../../runner/report.ts'
import { isCheap } from './in-place.ts'
import { JudgingLine } from './line.ts'

export interface Judging {
  /**
   * What an attempt's outcome means for its check, and what may be told of it. What takes no time is judged in place,
   * anything else in a thread: the event loop never waits. Checks have their turns there, of 250 ms of work or of one
   * assertion, the one that took least of late first. An assertion that takes more than a second of work does not hold,
   * nor do those that are left when an attempt took five. Rejects with AppError JUDGING_FAILED when the thread fails or
   * the judging is closed, JUDGING_OVERDUE when the check goes on for 30 s and this attempt still waits.
   */
  readonly conclude: (definition: CheckDefinition, outcome: Outcome) => Report | Promise<Report>
  /** Ends the thread at once: what waits for it is rejected. */
  readonly close: () => Promise<void>
}

export interface JudgingOptions {
  readonly clock?: Pick<Clock, 'monotonicMs'>
}

export function createJudging({ clock = systemClock }: JudgingOptions = {}): Judging {
  const line = new JudgingLine(() => clock.monotonicMs())
  return {
    conclude: (definition, outcome) =>
      isCheap(definition, outcome)
        ? toReport(definition, outcome, judge(definition, outcome))
        : line.conclude(definition, outcome),
    close: () => line.close(),
  }
}
