import type { Result } from '../contract/result.ts'
import type { CheckDefinition, Run } from '../contract/run.ts'
import type { Contact } from './away/contact.ts'
import { type CarryOutOptions, carryOut } from './carry-out.ts'
import type { DueTimers } from './due-timers.ts'
import type { HeldRun, HeldRuns } from './held-runs.ts'
import type { RunQueue } from './queue.ts'

export interface FollowOptions extends CarryOutOptions {
  readonly held: HeldRuns
  readonly timers: DueTimers
  readonly queue: RunQueue
  readonly contact: Pick<Contact, 'state' | 'inDoubt'>
  /** Resolves when the result is on disk. */
  readonly store: (result: Result) => Promise<void>
  /** An attempt has its slot. */
  readonly onStart: (run: Run) => void
  readonly onResult: (result: Result, definition: CheckDefinition, run: Run) => void
}

/**
 * A held run from its dueAt to its final result on disk, over all its retries; waiting for one takes no slot. One whose
 * retries are made elsewhere is given back with the result of its attempt. Only then is it forgotten. A run that is told to stop is forgotten without a word about its target. Never rejects.
 */
export async function followRun(
  options: FollowOptions,
  heldRun: HeldRun,
  definition: CheckDefinition,
): Promise<void> {
  const { held, onFault } = options
  try {
    await toItsEnd(options, heldRun, definition)
  } catch (error) {
    if (!heldRun.stop.signal.aborted) onFault(error)
  } finally {
    held.forget(heldRun.run.id)
  }
}

async function toItsEnd(
  options: FollowOptions,
  heldRun: HeldRun,
  definition: CheckDefinition,
): Promise<void> {
  const { held, timers, clock, store, onResult } = options
  const { signal } = heldRun.stop
  let run = heldRun.run
  for (;;) {
    await timers.wait(clock.toMonotonicMs(run.attemptAt), signal)
    const made = await attempt(options, heldRun, run, definition)
    const result = {
      ...made,
      retryElsewhere: made.retryAt !== null && givesBack(options, heldRun, definition),
    }
    heldRun.phase = 'storing'
    await store(result)
    onResult(result, definition, run)
    if (result.retryAt === null || result.retryElsewhere) return
    held.awaitRetry(heldRun)
    // The retry is another agent's: it goes back with the others.
    if (held.closing) held.close()
    run = nextAttempt(run, result, result.retryAt)
  }
}

/** Where the service cannot be told, or knows nothing of the run, the retry is made here rather than late. */
function givesBack(
  { contact }: FollowOptions,
  { leased }: HeldRun,
  { retriesElsewhere }: CheckDefinition,
): boolean {
  return retriesElsewhere && leased && contact.state === 'in-touch' && !contact.inDoubt
}

function attempt(
  options: FollowOptions,
  heldRun: HeldRun,
  run: Run,
  definition: CheckDefinition,
): Promise<Result> {
  const { queue, onStart } = options
  const { signal } = heldRun.stop
  heldRun.phase = 'queued'
  return queue.run(() => {
    heldRun.phase = 'running'
    onStart(run)
    return carryOut(options, run, definition, signal)
  }, signal)
}

function nextAttempt(run: Run, result: Result, attemptAt: number): Run {
  const firstStartedAt = run.firstStartedAt ?? result.startedAt
  return { ...run, attempt: run.attempt + 1, attemptAt, firstStartedAt }
}
