import { expect, test } from 'vitest'
import type { Run } from '../../src/contract/run.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { removeExpired } from '../../src/server/loops/housekeeping.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { rollUp } from '../../src/server/loops/roll-up.ts'
import { sampleLocationMetricsTurn } from '../../src/server/loops/sample-location-metrics.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId, passingResult } from '../support/agent-messages.ts'
import { checkAlertRow } from '../support/alert-rows.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { startTestService } from '../support/test-service.ts'

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
const dayMs = 24 * 60 * 60_000

test('what is older than its retention is removed, and nothing younger', async () => {
  const service = await startTestService()
  const locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
  const checkId = (await service.api('POST', '/v1/checks/api', apiCheckBody())).json().id
  const runOnce = async () => {
    const claim = { agentId, capabilities: agentCapabilities, slots: 100, waitMs: 0 }
    // The agent is seen, and what fell due while it was not is missed.
    await service.agent('claims', claim)
    for (let turn = 0; turn < 2; turn += 1) {
      service.clock.advance(60_000)
      await schedulerTurn({ ...service, locations })
    }
    const { runs }: { runs: Run[] } = (await service.agent('claims', claim)).json()
    await service.agent('results', {
      agentId,
      results: runs.map((run) => passingResult(run, service.clock.now())),
    })
    return runs.length
  }
  const old = await runOnce()
  service.clock.advance(20 * dayMs)
  const young = await runOnce()
  const count = async () =>
    Number(
      (await service.api('GET', `/v1/check-results/${checkId}`)).headers['content-range']
        ?.toString()
        .split('/')[1],
    )
  expect(await count()).toBe(old + young)
  const retention = { resultRetentionDays: 10, rollupRetentionDays: 400, missedSlotRetentionDays: 90 }
  const remove = () => removeExpired({ ...service, logger, ...retention })
  const makeFigures = async () => {
    service.clock.advance(2 * 60 * 60_000)
    await rollUp({ ...service, ...retention })
  }
  await remove()
  expect(await count(), 'without figures nothing goes').toBe(old + young)
  await makeFigures()
  const unfinished = await runOnce()
  expect([old, young, unfinished].every((runs) => runs > 0)).toBe(true)
  await remove()
  expect(await count()).toBe(young + unfinished)
  service.clock.advance(20 * dayMs)
  await remove()
  expect(await count(), 'what has no figures yet stays').toBe(unfinished)
  await makeFigures()
  await remove()
  expect(await count()).toBe(0)
  await service.close()
})

test('the queue of a private location is sampled each minute and read back', async () => {
  const service = await startTestService()
  const place = (await service.api('POST', '/v1/private-locations', { name: 'p', slugName: 'office' })).json()
  await service.api('POST', '/v1/checks/api', apiCheckBody({ locations: [], privateLocations: ['office'] }))
  const locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
  service.clock.advance(10_000)
  await schedulerTurn({ ...service, locations })
  service.clock.advance(50_000)
  await sampleLocationMetricsTurn(service)
  const now = service.clock.now()
  const url = `/v1/private-locations/${place.id}/metrics?from=${now - 120_000}&to=${now}`
  const { timestamps, queueSize, oldestScheduledCheckRun } = (await service.api('GET', url)).json()
  expect(timestamps).toEqual(['2026-03-01T12:01:00.000Z'])
  expect(queueSize[0]).toBeGreaterThanOrEqual(1)
  expect(oldestScheduledCheckRun[0]).toBeGreaterThanOrEqual(40)
  expect(oldestScheduledCheckRun[0]).toBeLessThanOrEqual(60)
  await service.close()
})

test('alerts are kept as long as figures are', async () => {
  const { database, clock, accountId, ...service } = await startTestService()
  const { id } = (await service.api('POST', '/v1/checks/api', apiCheckBody())).json()
  const old = checkAlertRow(accountId, id, { createdAt: clock.now() - 401 * dayMs })
  const young = checkAlertRow(accountId, id, { createdAt: clock.now() - 399 * dayMs })
  await database.kysely.insertInto('checkAlerts').values([old, young]).execute()
  const retention = { resultRetentionDays: 10, rollupRetentionDays: 400, missedSlotRetentionDays: 90 }
  await removeExpired({ database, clock, logger, ...retention })
  expect(await database.kysely.selectFrom('checkAlerts').select('id').execute()).toEqual([{ id: young.id }])
  await service.close()
})
