import type { Kysely } from 'kysely'
import type { Result } from '../../contract/result.ts'
import { tokensOfHeartbeats } from '../../storage/heartbeat-tokens.ts'
import type { Schema } from '../../storage/schema.ts'
import type { Ping } from './end-pings.ts'
import { takePings } from './take-pings.ts'

/** A final result, and the run that it is of. */
interface Ended {
  readonly run: Pick<Schema['checkRuns'], 'checkId' | 'checkType'>
  readonly result: Result
}

/**
 * A heartbeat with a request is pinged for by each of its runs that passed, as of its end (semantics §7): in the
 * transaction that stores the result, so that no ping is lost on its way, and none counts twice.
 */
export async function pingForPassed(
  db: Kysely<Schema>,
  finals: readonly Ended[],
  now: number,
): Promise<void> {
  const passed = finals.filter(({ run, result }) => run.checkType === 'HEARTBEAT' && hasPassed(result))
  if (passed.length === 0) return
  const tokens = await tokensOfHeartbeats(db, [...new Set(passed.map(({ run }) => run.checkId))])
  const pings = passed.flatMap(({ run, result }) => {
    const token = tokens.get(run.checkId)
    return token === undefined ? [] : [pingOf(token, result)]
  })
  await takePings(db, pings, { now, unrecorded: null, mayRepeat: true })
}

function hasPassed({ conclusion }: Result): boolean {
  return conclusion.kind === 'judged' && conclusion.verdict.state !== 'failing'
}

function pingOf(token: string, { location, startedAt, stoppedAt }: Result): Ping {
  return {
    token,
    kind: 'success',
    exitCode: null,
    at: stoppedAt,
    source: location,
    userAgent: 'Picket',
    body: null,
    durationMs: stoppedAt - startedAt,
  }
}
