import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { expireRunsTurn } from '../../src/server/loops/expire-runs.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { backUp } from '../../src/storage/back-up.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { agentCapabilities, agentId } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { logLines } from '../support/log-lines.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const { logger } = logLines()
const hourMs = 3_600_000

async function serviceOn(path: string): Promise<TestService> {
  const database = await openDatabase(`sqlite:${path}`)
  await migrate(database)
  const service = await startTestService({ database, logger })
  onTestFinished(() => service.close())
  return service
}

const plan = (service: TestService) => {
  const { database, clock } = service
  const locations = new LocationWatch({ db: database.kysely, logger, startedAt: clock.now() })
  return schedulerTurn({ ...service, locations })
}

test('what a restored backup had under way, and every slot since, ends as missed: nothing fails, nothing is open', async () => {
  const dir = await makeDataDir()
  const service = await serviceOn(join(dir, 'picket.db'))
  const { id } = (await service.api('POST', '/v1/checks/api', apiCheckBody())).json()
  service.clock.advance(10_000)
  await plan(service)
  const claim = { agentId, capabilities: agentCapabilities, slots: 100, waitMs: 0 }
  const claimed = (await service.agent('claims', claim)).json().runs
  expect(claimed.length).toBeGreaterThan(0)
  const file = join(dir, 'backup.db')
  await backUp(join(dir, 'picket.db'), file, () => {})
  const backedUpAt = service.clock.now()

  const restored = await serviceOn(file)
  restored.clock.advance(backedUpAt - restored.clock.now() + 5 * hourMs)
  await plan(restored)
  const { kysely } = restored.database
  const { slots, reason } = await kysely
    .selectFrom('missedSlots')
    .select(['slots', 'reason'])
    .where('checkId', '=', id)
    .executeTakeFirstOrThrow()
  expect(reason).toBe('service-down')
  expect(Math.abs(slots - 5 * 360)).toBeLessThanOrEqual(2)
  await expireRunsTurn({ database: restored.database, clock: restored.clock, logger })
  const runs = await kysely
    .selectFrom('checkRuns')
    .selectAll()
    .where('dueAt', '<=', backedUpAt + 5000)
    .execute()
  expect(runs.map(({ outcome }) => outcome)).toEqual(runs.map(() => 'missed'))
  expect(runs.map((run) => run.id)).toContain(claimed[0].id)
  const status = (await restored.api('GET', `/v1/check-statuses/${id}`)).json()
  expect(status?.hasFailures ?? false).toBe(false)
  expect(await kysely.selectFrom('alertNotifications').selectAll().execute()).toEqual([])
})
