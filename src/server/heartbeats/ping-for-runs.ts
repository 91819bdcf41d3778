import type { Kysely } from 'kysely'
import type { Result } from '../../contract/result.ts'
import { tokensOfHeartbeats } from '../../storage/heartbeat-tokens.ts'
import {
  expectPingsOf,
  type HeartbeatRow,
  lockHeartbeatsOfTokens,
  startTimer,
} from '../../storage/heartbeats.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Ping } from './end-pings.ts'
import { silenceUntil } from './own-downtime.ts'
import { takePings } from './take-pings.ts'

/** A final result, and the run that it is of. */
interface Ended {
  readonly run: Pick<Schema['checkRuns'], 'checkId' | 'checkType' | 'dueAt'>
  readonly result: Result
}

/**
 * A heartbeat with a request is pinged for by each of its runs that passed, as of when that was due (semantics §7): no
 * lateness of ours comes between two. In the transaction that stores the result, so that no ping is lost on its way, and
 * none counts twice. One that failed has its heartbeat looked at.
 */
export async function pingForRuns(db: Kysely<Schema>, finals: readonly Ended[], now: number): Promise<void> {
  const judged = finals.filter(
    ({ run, result }) => run.checkType === 'HEARTBEAT' && result.conclusion.kind === 'judged',
  )
  if (judged.length === 0) return
  const tokens = await tokensOfHeartbeats(db, [...new Set(judged.map(({ run }) => run.checkId))])
  // All that follows locks some of them: in one order, whoever else does.
  const rows = await lockHeartbeatsOfTokens(db, [...new Set(tokens.values())])
  const pings = judged.filter(hasPassed).flatMap(({ run, result }) => {
    const token = tokens.get(run.checkId)
    return token === undefined ? [] : [pingOf(token, run, result)]
  })
  const unrecorded = await silenceUntil(db, now)
  if (pings.length > 0) await takePings(db, pings, { now, unrecorded, mayRepeat: true })
  await expectAfter(
    db,
    rows,
    judged.filter((ended) => !hasPassed(ended)).map(({ run }) => run),
  )
}

/** What fails from its first run on has no ping that starts its timer: that run does. */
async function expectAfter(
  db: Kysely<Schema>,
  rows: readonly HeartbeatRow[],
  failed: readonly Ended['run'][],
): Promise<void> {
  if (failed.length === 0) return
  const waiting = new Set(rows.filter(({ anchorAt }) => anchorAt === null).map(({ checkId }) => checkId))
  for (const { checkId, dueAt } of failed.toSorted((one, other) => one.dueAt - other.dueAt))
    if (waiting.delete(checkId)) await startTimer(db, checkId, dueAt)
  await expectPingsOf(db, [...new Set(failed.map(({ checkId }) => checkId))])
}

function hasPassed({ result: { conclusion } }: Ended): boolean {
  return conclusion.kind === 'judged' && conclusion.verdict.state !== 'failing'
}

function pingOf(token: string, { dueAt }: Ended['run'], { location, startedAt, stoppedAt }: Result): Ping {
  return {
    token,
    kind: 'success',
    exitCode: null,
    at: dueAt,
    source: location,
    userAgent: 'Picket',
    body: null,
    durationMs: Math.max(0, stoppedAt - startedAt),
  }
}
