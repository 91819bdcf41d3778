import type { Outcome } from '../../contract/outcome.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Report } from '../../runner/report.ts'
import { Attempt } from './attempt.ts'
import { JudgingThread } from './thread.ts'
import { TimeOuts } from './time-outs.ts'
import { Turns, type Waiting } from './turns.ts'
import { type Ending, judgingFailed } from './work.ts'

/** A thread that has nothing to do for so long is ended: what it held of a large body is free then. */
const idleMs = 30_000

interface Judged extends Waiting {
  readonly definition: CheckDefinition
  readonly outcome: Outcome
  readonly resolve: (report: Report) => void
  readonly reject: (error: unknown) => void
  /** Null before its first turn. */
  attempt: Attempt | null
}

/** Attempts that have their turns in the thread, which is started when there is one and none runs. */
export class JudgingLine {
  readonly #monotonicMs: () => number
  readonly #timeOuts: TimeOuts
  readonly #turns: Turns<Judged>
  #judged: Judged | null = null
  #came = 0
  #thread: JudgingThread | null = null
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
    this.#timeOuts = new TimeOuts(monotonicMs)
    this.#turns = new Turns(monotonicMs)
  }

  conclude(definition: CheckDefinition, outcome: Outcome): Promise<Report> {
    clearTimeout(this.#idle)
    const { checkId } = definition
    const cameMs = this.#monotonicMs()
    this.#came += 1
    for (const { reject } of this.#turns.takeOverdue({ checkId, cameMs })) reject(overdue())
    return new Promise((resolve, reject) => {
      const waiting = { checkId, cameMs, place: this.#came, definition, outcome, resolve, reject }
      this.#turns.add({ ...waiting, attempt: null })
      this.#goOn()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    await this.#thread?.close()
  }

  #goOn(): void {
    if (!this.#judged) {
      this.#judged = this.#turns.next()
      if (this.#judged) void this.#take(this.#judged)
      else this.#rest()
    }
    this.#tellThread()
  }

  async #take(judged: Judged): Promise<void> {
    try {
      const report = await this.#turn(judged)
      if (report) judged.resolve(report)
      else this.#turns.add(judged)
    } catch (error) {
      judged.reject(error)
    }
    this.#judged = null
    this.#goOn()
  }

  /** Null where another turn must follow. */
  async #turn(judged: Judged): Promise<Report | null> {
    const { definition, outcome, checkId } = judged
    judged.attempt ??= new Attempt(definition, outcome, this.#timeOuts)
    const { known, leftMs, isBegun } = judged.attempt
    const limits = { allowedMs: leftMs, again: isBegun }
    const ending = await this.#runningThread().judge({ definition, outcome, known }, limits)
    this.#turns.worked(checkId, ending.workMs)
    return settle(judged.attempt, ending)
  }

  #runningThread(): JudgingThread {
    if (this.#isClosed) throw judgingFailed(new Error('it was closed'))
    if (!this.#thread || this.#thread.isGone) this.#thread = new JudgingThread()
    this.#tellThread()
    return this.#thread
  }

  #tellThread(): void {
    if (this.#judged) this.#thread?.letOthers(this.#turns.hasRival(this.#judged.checkId))
  }

  #rest(): void {
    if (!this.#isClosed) this.#idle = setTimeout(() => void this.#thread?.close(), idleMs).unref()
  }
}

const overdue = () => new AppError('JUDGING_OVERDUE', 'The attempt waited too long for its turn to be judged')

function settle(attempt: Attempt, ending: Ending): Report | null {
  switch (ending.kind) {
    case 'reported':
      attempt.done()
      return ending.report
    case 'paused':
      attempt.pause(ending)
      return null
    case 'ran-out': {
      const { step } = ending
      if (step === 'start' || step === 'report') throw judgingFailed(new Error(`its ${step} took too long`))
      attempt.runOut(ending)
      return null
    }
  }
}
