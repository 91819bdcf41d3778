import type { AssertionResult } from '../../contract/assertion.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Report } from '../../runner/report.ts'
import type { JudgingNews, Step } from './messages.ts'

/** Milliseconds of work that one assertion may take. */
export const assertionMs = 1000
const reportMs = 10_000

/** How long the thread may say nothing at all, in looks at it: it does not answer while it parses or copies. */
const maxSilentLooks = 200

/**
 * How the work on an attempt ended: with its report, or because the step it was at, or all of it, took too long.
 * Work is the thread's own processor time: a busy machine takes none of it away.
 */
export type Ending =
  | { readonly kind: 'reported'; readonly report: Report }
  | {
      readonly kind: 'ran-out'
      readonly of: 'step' | 'attempt'
      readonly step: Step
      readonly workMs: number
    }

export type Overrun = Extract<Ending, { kind: 'ran-out' }>

export const judgingFailed = (cause: unknown) =>
  new AppError('JUDGING_FAILED', 'The thread that judges attempts failed', { cause })

/** One attempt in the thread, as told from there. */
export class Work {
  readonly #known: (AssertionResult | null)[]
  readonly #allowedMs: number
  readonly #ended = Promise.withResolvers<Ending>()
  #step: Step = 'start'
  /** Of the thread's processor time; null until it has begun. */
  #began: { readonly workMs: number; readonly stepMs: number } | null = null
  #silentLooks = 0

  /** Fills `known` with each result as it comes. `allowedMs`: of work, for the whole attempt. */
  constructor(known: (AssertionResult | null)[], allowedMs: number) {
    this.#known = known
    this.#allowedMs = allowedMs
  }

  /** Rejects with AppError JUDGING_FAILED where the fault is the thread's. */
  get ended(): Promise<Ending> {
    return this.#ended.promise
  }

  end(ending: Ending): void {
    this.#ended.resolve(ending)
  }

  fail(cause: unknown): void {
    this.#ended.reject(judgingFailed(cause))
  }

  take(news: JudgingNews): void {
    this.#silentLooks = 0
    switch (news.kind) {
      case 'began':
        this.#step = news.step
        this.#began = { workMs: this.#began?.workMs ?? news.cpuMs, stepMs: news.cpuMs }
        break
      case 'evaluated':
        this.#known[news.index] = news.result
        this.#step = 'shared'
        break
      case 'reported':
        this.end(news)
        break
      case 'failed':
        this.fail(news.error)
    }
  }

  /** What is over its time when the thread has worked so long since its start; null where nothing is. */
  overrun(cpuMs: number): Overrun | null {
    if (!this.#began) return null
    const workMs = cpuMs - this.#began.workMs
    const stepMs = cpuMs - this.#began.stepMs
    const step = this.#step
    if (step === 'report') return stepMs > reportMs ? { kind: 'ran-out', of: 'step', step, workMs } : null
    if (step !== 'shared' && stepMs > assertionMs) return { kind: 'ran-out', of: 'step', step, workMs }
    return workMs > this.#allowedMs ? { kind: 'ran-out', of: 'attempt', step, workMs } : null
  }

  /** To be asked at each look: what has been silent for so long that it must be ended, whatever it worked. */
  silence(): Overrun | null {
    this.#silentLooks += 1
    if (this.#silentLooks <= maxSilentLooks) return null
    return { kind: 'ran-out', of: 'step', step: this.#step, workMs: this.#allowedMs }
  }
}
