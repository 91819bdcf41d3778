import type { AssertionResult } from '../../contract/assertion.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Report } from '../../runner/report.ts'
import type { JudgingNews, Step } from './messages.ts'

/** Milliseconds of work that one assertion may take. */
export const assertionMs = 1000
/** Milliseconds of work on assertions after which an attempt lets others have their turn. */
export const sliceMs = 250
/** Milliseconds of work that all assertions of an attempt may take together. */
export const attemptMs = 5000
const reportMs = 10_000

/** How long the thread may say nothing at all, in looks at it: it does not answer while it parses or copies. */
const maxSilentLooks = 200

/**
 * Work is the thread's own processor time: a busy machine takes none of it away. What is done again after a pause is
 * worked, and not charged to the attempt.
 */
interface Worked {
  readonly workMs: number
  readonly chargedMs: number
}

/**
 * How one turn of an attempt ended: with its report, because others wait, or because the step it was at, or all of it,
 * took too long.
 */
export type Ending = Worked &
  (
    | { readonly kind: 'reported'; readonly report: Report }
    | { readonly kind: 'paused' }
    | { readonly kind: 'ran-out'; readonly of: 'step' | 'attempt'; readonly step: Step }
  )

export type Overrun = Extract<Ending, { kind: 'ran-out' }>

export const judgingFailed = (cause: unknown) =>
  new AppError('JUDGING_FAILED', 'The thread that judges attempts failed', { cause })

export interface WorkOptions {
  /** Is filled with each result as it comes. */
  readonly known: (AssertionResult | null)[]
  /** Of work, for what is left of the attempt. */
  readonly allowedMs: number
  /** The attempt had a turn before: what assertions share is done again. */
  readonly again: boolean
}

/** One turn of an attempt in the thread, as told from there. */
export class Work {
  readonly #options: WorkOptions
  readonly #ended = Promise.withResolvers<Ending>()
  #step: Step = 'start'
  /** Of the thread's processor time: when the turn and its step began; null until then. */
  #began: { readonly turnMs: number; readonly stepMs: number } | null = null
  /** Worked on what assertions share, up to this step. */
  #sharedMs = 0
  #silentLooks = 0

  constructor(options: WorkOptions) {
    this.#options = options
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
        this.#enter(news.step, news.cpuMs)
        break
      case 'evaluated':
        this.#options.known[news.index] = news.result
        this.#enter('shared', news.cpuMs)
        break
      case 'paused':
        this.end({ kind: 'paused', ...this.#worked(news.cpuMs) })
        break
      case 'reported':
        this.end({ kind: 'reported', report: news.report, ...this.#worked(news.cpuMs) })
        break
      case 'failed':
        this.fail(news.error)
    }
  }

  /** What is over its time when the thread has worked so long since its start; null where nothing is. */
  overrun(cpuMs: number): Overrun | null {
    if (!this.#began) return null
    const worked = this.#worked(cpuMs)
    const stepMs = cpuMs - this.#began.stepMs
    const step = this.#step
    const { allowedMs } = this.#options
    if (step === 'report') return stepMs > reportMs ? { kind: 'ran-out', of: 'step', step, ...worked } : null
    if (step !== 'shared' && stepMs > assertionMs) return { kind: 'ran-out', of: 'step', step, ...worked }
    const isOver = worked.chargedMs > allowedMs || this.#shared(cpuMs) > attemptMs
    return isOver ? { kind: 'ran-out', of: 'attempt', step, ...worked } : null
  }

  /** To be asked at each look: what has been silent for so long that it must be ended, whatever it worked. */
  silence(): Overrun | null {
    this.#silentLooks += 1
    if (this.#silentLooks <= maxSilentLooks) return null
    const { allowedMs } = this.#options
    return { kind: 'ran-out', of: 'step', step: this.#step, workMs: allowedMs, chargedMs: allowedMs }
  }

  #enter(step: Step, cpuMs: number): void {
    this.#sharedMs = this.#shared(cpuMs)
    this.#step = step
    this.#began = { turnMs: this.#began?.turnMs ?? cpuMs, stepMs: cpuMs }
  }

  #shared(cpuMs: number): number {
    return this.#sharedMs + (this.#began && this.#step === 'shared' ? cpuMs - this.#began.stepMs : 0)
  }

  #worked(cpuMs: number): Worked {
    const workMs = this.#began ? cpuMs - this.#began.turnMs : 0
    return { workMs, chargedMs: this.#options.again ? workMs - this.#shared(cpuMs) : workMs }
  }
}
