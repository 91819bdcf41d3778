import type { Outcome } from '../../contract/outcome.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { judge } from '../../rules/judge.ts'
import { type Report, toReport } from '../../runner/report.ts'
import { Attempt } from './attempt.ts'
import { isCheap } from './in-place.ts'
import { JudgingThread } from './thread.ts'
import { TimeOuts } from './time-outs.ts'
import { judgingFailed } from './work.ts'

export interface Judging {
  /**
   * What an attempt's outcome means for its check, and what may be told of it. What takes no time is judged in place,
   * anything else in a thread, one attempt at a time in their order: the event loop never waits. An assertion that
   * takes more than a second of work does not hold, nor do those that are left when an attempt took five. Rejects
   * with AppError JUDGING_FAILED when the thread fails or the judging is closed.
   */
  readonly conclude: (definition: CheckDefinition, outcome: Outcome) => Report | Promise<Report>
  /** Ends the thread at once: what waits for it is rejected. */
  readonly close: () => Promise<void>
}

export interface JudgingOptions {
  readonly clock?: Pick<Clock, 'monotonicMs'>
}

export function createJudging({ clock = systemClock }: JudgingOptions = {}): Judging {
  const line = new JudgingLine(new TimeOuts(() => clock.monotonicMs()))
  return {
    conclude: (definition, outcome) =>
      isCheap(definition, outcome)
        ? toReport(definition, outcome, judge(definition, outcome))
        : line.conclude(definition, outcome),
    close: () => line.close(),
  }
}

/** A thread that has nothing to do for so long is ended: what it held of a large body is free then. */
const idleMs = 30_000

/** Attempts that wait for the thread, which is started when there is one and none runs. */
class JudgingLine {
  readonly #timeOuts: TimeOuts
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #thread: JudgingThread | null = null
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(timeOuts: TimeOuts) {
    this.#timeOuts = timeOuts
  }

  conclude(definition: CheckDefinition, outcome: Outcome): Promise<Report> {
    clearTimeout(this.#idle)
    this.#waiting += 1
    const report = this.#last.then(() => this.#concludeNow(definition, outcome))
    this.#last = report.then(
      () => this.#onConcluded(),
      () => this.#onConcluded(),
    )
    return report
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#idle)
    await this.#thread?.close()
  }

  async #concludeNow(definition: CheckDefinition, outcome: Outcome): Promise<Report> {
    const attempt = new Attempt(definition, outcome, this.#timeOuts)
    for (;;) {
      const { known, leftMs } = attempt
      const ending = await this.#runningThread().judge({ definition, outcome, known }, leftMs)
      if (ending.kind === 'reported') {
        attempt.done()
        return ending.report
      }
      const { step } = ending
      if (step === 'start' || step === 'report') throw judgingFailed(new Error(`its ${step} took too long`))
      attempt.runOut(ending)
    }
  }

  #runningThread(): JudgingThread {
    if (this.#isClosed) throw judgingFailed(new Error('it was closed'))
    if (!this.#thread || this.#thread.isGone) this.#thread = new JudgingThread()
    return this.#thread
  }

  #onConcluded(): void {
    this.#waiting -= 1
    if (this.#waiting > 0 || this.#isClosed) return
    this.#idle = setTimeout(() => void this.#thread?.close(), idleMs).unref()
  }
}
