import type { AssertionResult } from '../../contract/assertion.ts'
import type { Outcome } from '../../contract/outcome.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import type { Report } from '../../runner/report.ts'

/** What the judging thread is given: one attempt, or the rest of one. */
export interface JudgingJob {
  readonly definition: CheckDefinition
  readonly outcome: Outcome
  /** Of each assertion in its order, what is known already; null where it is to be evaluated. */
  readonly known: (AssertionResult | null)[]
}

/** What the thread is at: its start, an assertion by its index, what several assertions share, or the report. */
export type Step = 'start' | number | 'shared' | 'report'

/**
 * What the thread tells while it works. `cpuMs`: its own processor time since it was started. paused: its turn is over,
 * since others wait.
 */
export type JudgingNews =
  | { readonly kind: 'began'; readonly step: Step; readonly cpuMs: number }
  | {
      readonly kind: 'evaluated'
      readonly index: number
      readonly result: AssertionResult
      readonly cpuMs: number
    }
  | { readonly kind: 'paused'; readonly cpuMs: number }
  | { readonly kind: 'reported'; readonly report: Report; readonly cpuMs: number }
  | { readonly kind: 'failed'; readonly error: Error }
