import { Worker } from 'node:worker_threads'
import { sleep } from '../../lib/sleep.ts'
import type { JudgingJob, JudgingNews } from './messages.ts'
import { type Ending, judgingFailed, type Overrun, Work, type WorkOptions } from './work.ts'

const lookEveryMs = 100
/** A thread ends between two steps of the engine: some single ones take long, and are not waited for. */
const maxEndingMs = 1000

/**
 * Far above what judging takes (rules/assertions/json-memory.ts), because a heap that overflows is not sure to end
 * its thread alone (nodejs/node#47224).
 */
const resourceLimits = { maxOldGenerationSizeMb: 2048 }

const workerFile = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js'

/** A thread that judges one attempt at a time, watched from here and ended when it works for too long. */
export class JudgingThread {
  readonly #worker: Worker
  /** Is read by the thread between two assertions: it takes no messages while it works. */
  readonly #othersWait = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  #work: Work | null = null
  #isGone = false

  constructor() {
    const workerData = this.#othersWait
    this.#worker = new Worker(new URL(workerFile, import.meta.url), { resourceLimits, workerData })
    this.#worker.on('message', (news: JudgingNews) => this.#work?.take(news))
    this.#worker.on('error', (cause) => this.#onGone(cause))
    this.#worker.on('exit', () => this.#onGone(new Error('it ended by itself')))
  }

  /** It takes no more work. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** Whether what it is at is to be paused after a slice of work. */
  letOthers(wait: boolean): void {
    Atomics.store(this.#othersWait, 0, wait ? 1 : 0)
  }

  /** One turn of an attempt. Fills in the job's `known` as it goes. @throws AppError JUDGING_FAILED */
  async judge(job: JudgingJob, limits: Omit<WorkOptions, 'known'>): Promise<Ending> {
    const work = new Work({ ...limits, known: job.known })
    this.#work = work
    const timer = setInterval(() => this.#look(work), lookEveryMs)
    try {
      this.#send(job)
      return await work.ended
    } finally {
      clearInterval(timer)
      this.#work = null
    }
  }

  /** Ends it; what it is at fails with JUDGING_FAILED. */
  async close(): Promise<void> {
    this.#work?.fail(new Error('it was closed'))
    await this.#terminate()
  }

  #send(job: JudgingJob): void {
    try {
      this.#worker.postMessage(job)
    } catch (cause) {
      throw judgingFailed(cause)
    }
  }

  #look(work: Work): void {
    this.#cut(work, work.silence())
    this.#worker.cpuUsage().then(
      ({ user, system }) => this.#cut(work, work.overrun((user + system) / 1000)),
      () => {},
    )
  }

  /** News that the thread told before its end are taken: they come with the end. */
  #cut(work: Work, overrun: Overrun | null): void {
    if (!overrun || this.#isGone) return
    void this.#terminate().then(() => work.end(overrun))
  }

  async #terminate(): Promise<void> {
    this.#isGone = true
    const waited = new AbortController()
    await Promise.race([this.#worker.terminate(), sleep(maxEndingMs, waited.signal)])
    waited.abort()
  }

  #onGone(cause: unknown): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#work?.fail(cause)
  }
}
