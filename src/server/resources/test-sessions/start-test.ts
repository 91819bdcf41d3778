import type { Kysely } from 'kysely'
import type { TestSessionTrigger } from '../../../contract/resources/test-session.ts'
import { hashId, newId } from '../../../lib/ids.ts'
import { findPrivateLocationBySlug } from '../../../storage/private-locations.ts'
import type { Schema } from '../../../storage/schema.ts'
import { inputInvalid } from '../../http/api-error.ts'
import { isDataCenter } from '../../loops/location-watch.ts'
import type { OnDemandOptions } from '../../on-demand/on-demand.ts'
import { selectChecks } from '../../on-demand/select-checks.ts'
import { sessionRun } from '../../on-demand/session-runs.ts'
import { assertSome, type Started, startSessions } from '../../on-demand/start-sessions.ts'
import { targetOf } from '../../on-demand/target.ts'
import { sealTestVariables, type TestFacts } from '../../on-demand/test-facts.ts'
import { checkTypeOf } from '../../stored/stored-check.ts'

/** @throws ApiError 400 */
async function assertLocation(db: Kysely<Schema>, accountId: string, location: string): Promise<void> {
  if (isDataCenter(location) || (await findPrivateLocationBySlug(db, accountId, location))) return
  const text = `"runLocation" must be a data-center location, or the slugName of a private location of this account, was ${JSON.stringify(location)}`
  throw inputInvalid([{ path: 'runLocation', text }])
}

/**
 * Runs each check of the target once, at one location, under settings of the test's own: agents know each by an id of its
 * own, and what becomes of it is the session's alone. @throws ApiError 400, 404
 */
export async function startTest(
  options: OnDemandOptions,
  accountId: string,
  body: TestSessionTrigger,
): Promise<Started> {
  const { name, runLocation, metadata = {}, retryStrategy } = body
  const [started] = await startSessions(options, accountId, async (db, { now, isServed }) => {
    await assertLocation(db, accountId, runLocation)
    const selected = await selectChecks(db, accountId, targetOf(body.target, body.target.allowDeactivated))
    assertSome(selected)
    const sessionId = newId()
    const planned = selected.map((one) => {
      const definitionId = hashId('test', sessionId, one.row.id)
      return { one, run: sessionRun(one, runLocation, { sessionId, now, isServed, definitionId }) }
    })
    const facts: TestFacts = {
      runLocation,
      metadata,
      ...(retryStrategy !== undefined && { retryStrategy }),
      variables: sealTestVariables(options.sealer, sessionId, body.environmentVariables),
      checks: planned.map(({ one: { row }, run }) => ({
        runId: run.id,
        checkId: row.id,
        name: row.name,
        checkType: checkTypeOf(row),
      })),
    }
    const session = {
      id: sessionId,
      accountId,
      kind: 'test',
      checkId: null,
      name,
      runSource: 'TRIGGER_API',
      definition: JSON.stringify(facts),
      startedAt: now,
      cancelledAt: null,
    } as const
    return [{ session, runs: planned.map(({ run }) => run) }]
  })
  if (!started) throw new Error('no session of a test')
  return started
}
