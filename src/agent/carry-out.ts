import type { Outcome } from '../contract/outcome.ts'
import type { Conclusion, Result } from '../contract/result.ts'
import type { CheckDefinition, Run } from '../contract/run.ts'
import { AppError } from '../lib/app-error.ts'
import { hashId } from '../lib/ids.ts'
import { type Judgement, judge } from '../rules/judge.ts'
import { retryDelayMs } from '../rules/retry.ts'
import { capForReport } from '../runner/cap-for-report.ts'
import type { RunCheck } from '../runner/run-check.ts'
import type { ServiceClock } from './service-clock.ts'

export interface CarryOutOptions {
  readonly runCheck: RunCheck
  readonly clock: ServiceClock
  /** Whether our own event loop stood still since then, in monotonic milliseconds. */
  readonly stalledSince: (monotonicMs: number) => boolean
  /** Told of every fault of our own. */
  readonly onFault: (error: unknown) => void
}

type Ending = Pick<Result, 'startedAt' | 'stoppedAt' | 'conclusion'> & { readonly retryAt?: number | null }

/**
 * One attempt at a run: observed, judged, and whether another follows (`retryAt`). A fault of our own is `errored`;
 * a first attempt that comes late by more than the check's interval is not made but `missed`, a retry is made however
 * late: it alone says how the slot ended. Rejects with the signal's reason when told to stop: then nothing is said
 * about the target.
 */
export async function carryOut(
  options: CarryOutOptions,
  run: Run,
  definition: CheckDefinition,
  signal: AbortSignal,
): Promise<Result> {
  const { clock } = options
  const lateMs = clock.preciseNow() - run.attemptAt
  const startedAt = clock.now()
  if (run.attempt === 1 && lateMs > run.intervalMs) return missedLate(run, startedAt)
  const begunMs = clock.monotonicMs()
  const stoppedAt = () => startedAt + Math.round(clock.monotonicMs() - begunMs)
  const queueUs = Math.max(0, Math.round(lateMs * 1000))
  const ownFault = (reason: 'agent-fault' | 'event-loop-stall', message: string) =>
    toResult(run, definition.version, queueUs, {
      startedAt,
      stoppedAt: stoppedAt(),
      conclusion: { kind: 'errored', reason, message },
    })
  try {
    const outcome = await options.runCheck(definition, signal)
    signal.throwIfAborted()
    const judgement = judge(definition, outcome)
    if (judgement.verdict.state !== 'passing' && options.stalledSince(begunMs)) {
      return ownFault('event-loop-stall', 'the event loop of the agent stood still during the attempt')
    }
    const ending = { startedAt, stoppedAt: stoppedAt(), conclusion: judged(outcome, judgement) }
    const retryAt = nextAttemptAt(run, definition, ending, { outcome, judgement })
    return toResult(run, definition.version, queueUs, { ...ending, retryAt })
  } catch (error) {
    signal.throwIfAborted()
    options.onFault(error)
    return ownFault('agent-fault', faultText(error))
  }
}

function judged(outcome: Outcome, { assertions, verdict }: Judgement): Conclusion {
  return { kind: 'judged', outcome: capForReport(outcome), assertions, verdict }
}

function nextAttemptAt(
  run: Run,
  definition: CheckDefinition,
  { startedAt, stoppedAt }: Pick<Result, 'startedAt' | 'stoppedAt'>,
  { outcome, judgement }: { readonly outcome: Outcome; readonly judgement: Judgement },
): number | null {
  const delayMs = retryDelayMs({
    strategy: definition.retryStrategy,
    doubleCheck: definition.doubleCheck,
    attempt: run.attempt,
    failing: judgement.verdict.state === 'failing',
    outcome,
    firstStartedAt: run.firstStartedAt ?? startedAt,
    stoppedAt,
  })
  return delayMs === null ? null : stoppedAt + Math.round(delayMs)
}

/** Ours are fixed texts; what others say may hold an address or a secret. */
function faultText(error: unknown): string {
  return error instanceof AppError
    ? `${error.code}: ${error.message}`.slice(0, 1000)
    : 'an unexpected fault of the agent'
}

/** A run that came too late to be run as if on time. */
function missedLate(run: Run, now: number): Result {
  return unrun(run, now, { kind: 'missed', reason: 'late' })
}

/** A run whose check the service does not give any more. */
export function definitionMissing(run: Run, now: number): Result {
  const message = 'the service has no definition of this check for this agent'
  return unrun(run, now, { kind: 'errored', reason: 'definition-missing', message })
}

function unrun(run: Run, now: number, conclusion: Conclusion): Result {
  const queueUs = Math.max(0, now - run.attemptAt) * 1000
  return toResult(run, run.version, queueUs, { startedAt: now, stoppedAt: now, conclusion })
}

function toResult(run: Run, version: number, queueUs: number, ending: Ending): Result {
  const { startedAt, stoppedAt, conclusion, retryAt = null } = ending
  return {
    id: hashId(run.id, run.attempt),
    runId: run.id,
    checkId: run.checkId,
    version,
    location: run.location,
    dueAt: run.dueAt,
    attempt: run.attempt,
    resultType: retryAt === null ? 'FINAL' : 'ATTEMPT',
    retryAt,
    startedAt,
    stoppedAt,
    queueUs,
    conclusion,
  }
}
