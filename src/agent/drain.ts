import type { Logger } from '../lib/logger.ts'
import { sleep } from '../lib/sleep.ts'
import type { HeldRuns } from './held-runs.ts'
import type { OutboxStats } from './outbox/messages.ts'

export interface DrainOptions {
  readonly logger: Logger
  readonly held: HeldRuns
  readonly graceMs: number
  /** Ends the grace. */
  readonly hurry: AbortSignal
  /** Resolves when no claim is on its way any more. */
  readonly stopClaiming: () => Promise<void>
  readonly release: (runIds: readonly string[]) => Promise<void>
  readonly outbox: () => OutboxStats
}

/** A runner that does not stop when it is told to has this long. */
const stopMs = 2000
/** For the service to answer. */
const answerMs = 10_000
const hurriedAnswerMs = 1000
const lookMs = 20

/**
 * Semantics §10: no new claims; running checks finish within the grace; what is not running, or not finished then, goes
 * back to the service without a word about its target; results are sent as long as the service takes them.
 */
export async function drain(options: DrainOptions): Promise<void> {
  const { logger, held, graceMs, hurry, stopClaiming } = options
  await within(hurry, stopClaiming())
  held.close()
  logger.info(
    { running: held.count('running', 'storing'), graceMs },
    'no new runs: running checks may finish',
  )
  // Runs that were let go are forgotten in the turns that follow.
  await sleep(0)
  const givenBack = giveBack(options)
  await held.empty(AbortSignal.any([hurry, AbortSignal.timeout(graceMs)]))
  held.stopAll()
  await held.empty(AbortSignal.timeout(stopMs))
  await flush(options)
  await givenBack
  await giveBack(options)
}

/** What the service does not take back in time is free when its lease ends. */
async function giveBack({ held, hurry, release }: DrainOptions): Promise<void> {
  const runIds = held.takeLetGo()
  if (runIds.length > 0) await within(hurry, release(runIds))
}

/** What the service does not take now stays on the disk. */
async function flush({ logger, hurry, outbox }: DrainOptions): Promise<void> {
  await until(() => outbox().depth === 0, hurry)
  const { depth } = outbox()
  if (depth > 0) logger.warn({ results: depth }, 'unsent results stay in the outbox for the next start')
}

async function within(hurry: AbortSignal, step: Promise<void>): Promise<void> {
  let ended = false
  const ending = step.finally(() => {
    ended = true
  })
  await Promise.race([ending, until(() => ended, hurry)])
}

/** Resolves when it is so, or when the service had its time to answer. */
async function until(isSo: () => boolean, hurry: AbortSignal): Promise<void> {
  const started = performance.now()
  const limitMs = () => (hurry.aborted ? hurriedAnswerMs : answerMs)
  while (!isSo() && performance.now() - started < limitMs()) await sleep(lookMs)
}
