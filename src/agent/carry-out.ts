import type { Outcome } from '../contract/outcome.ts'
import type { Conclusion, ErroredReason, Result } from '../contract/result.ts'
import type { CheckDefinition, Run } from '../contract/run.ts'
import { resultIdOf } from '../contract/run-ids.ts'
import type { Verdict } from '../contract/verdict.ts'
import { AppError } from '../lib/app-error.ts'
import { retryDelayMs } from '../rules/retry.ts'
import type { SharedBodyMemory } from '../runner/body-memory.ts'
import type { Report } from '../runner/report.ts'
import type { RunCheck } from '../runner/run-check.ts'
import type { ServiceClock } from './service-clock.ts'

/** An attempt that did not pass. `begunMs`: monotonic milliseconds. */
interface DoubtfulAttempt {
  readonly definition: CheckDefinition
  readonly outcome: Outcome
  readonly verdict: Verdict
  readonly begunMs: number
}

interface OwnFault {
  readonly reason: ErroredReason
  readonly message: string
}

export interface CarryOutOptions {
  readonly runCheck: RunCheck
  readonly clock: ServiceClock
  /** What the bodies of all attempts may hold together. */
  readonly bodies: SharedBodyMemory
  /** Judges what was seen, and makes it fit to be told. */
  readonly conclude: (definition: CheckDefinition, outcome: Outcome) => Report | Promise<Report>
  /** Whether what an attempt saw is our own fault; null when it is the target's. */
  readonly ownFault: (attempt: DoubtfulAttempt, signal: AbortSignal) => Promise<OwnFault | null>
  /** Told of every fault of our own that ended an attempt. */
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
  const ending = await attempt(options, run, definition, { startedAt, signal })
  return toResult(run, definition.version, Math.max(0, Math.round(lateMs * 1000)), ending)
}

interface Start {
  /** Epoch ms. */
  readonly startedAt: number
  readonly signal: AbortSignal
}

async function attempt(
  options: CarryOutOptions,
  run: Run,
  definition: CheckDefinition,
  { startedAt, signal }: Start,
): Promise<Ending> {
  const { clock } = options
  const begunMs = clock.monotonicMs()
  const stoppedAt = () => startedAt + Math.round(clock.monotonicMs() - begunMs)
  const memory = options.bodies.attempt()
  try {
    // What was known of a name may be why the attempt before this one failed.
    const outcome = await options.runCheck(definition, signal, { memory, freshDns: run.attempt > 1 })
    signal.throwIfAborted()
    const times = { startedAt, stoppedAt: stoppedAt() }
    const report = await options.conclude(definition, outcome)
    const fault = await doubt(options, { definition, outcome, verdict: report.verdict, begunMs }, signal)
    signal.throwIfAborted()
    if (fault) return { ...times, conclusion: { kind: 'errored', ...fault } }
    const retryAt = nextAttemptAt(run, definition, times, report)
    return { ...times, retryAt, conclusion: { kind: 'judged', ...report } }
  } catch (error) {
    signal.throwIfAborted()
    options.onFault(error)
    return { startedAt, stoppedAt: stoppedAt(), conclusion: faulted(error) }
  } finally {
    memory.free()
  }
}

function doubt(
  options: CarryOutOptions,
  attempt: DoubtfulAttempt,
  signal: AbortSignal,
): Promise<OwnFault | null> | null {
  return attempt.verdict.state === 'passing' ? null : options.ownFault(attempt, signal)
}

function nextAttemptAt(
  run: Run,
  definition: CheckDefinition,
  { startedAt, stoppedAt }: Pick<Result, 'startedAt' | 'stoppedAt'>,
  { outcome, verdict }: Report,
): number | null {
  const delayMs = retryDelayMs({
    strategy: definition.retryStrategy,
    doubleCheck: definition.doubleCheck,
    attempt: run.attempt,
    failing: verdict.state === 'failing',
    outcome,
    firstStartedAt: run.firstStartedAt ?? startedAt,
    stoppedAt,
  })
  return delayMs === null ? null : stoppedAt + Math.round(delayMs)
}

/** By the code of the runner's error. */
const reasons: Readonly<Record<string, ErroredReason>> = {
  ADDRESS_FAMILY_MISSING: 'no-route',
  OUT_OF_SOCKETS: 'out-of-sockets',
  PROXY_UNUSABLE: 'proxy-unusable',
  BODY_MEMORY_FULL: 'out-of-memory',
}

/** Ours are fixed texts; what others say may hold an address or a secret. */
function faulted(error: unknown): Conclusion {
  if (!(error instanceof AppError)) {
    return { kind: 'errored', reason: 'agent-fault', message: 'an unexpected fault of the agent' }
  }
  const message = `${error.code}: ${error.message}`.slice(0, 1000)
  return { kind: 'errored', reason: reasons[error.code] ?? 'agent-fault', message }
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
    id: resultIdOf(run.id, run.attempt),
    runId: run.id,
    checkId: run.checkId,
    version,
    location: run.location,
    dueAt: run.dueAt,
    attempt: run.attempt,
    resultType: retryAt === null ? 'FINAL' : 'ATTEMPT',
    retryAt,
    retryElsewhere: false,
    startedAt,
    stoppedAt,
    queueUs,
    conclusion,
  }
}
