import { afterEach, beforeEach, expect, test } from 'vitest'
import { heartbeatFigures } from '../../src/server/figures/heartbeat-figures.ts'
import {
  type HeartbeatService,
  minuteMs,
  secondMs,
  startHeartbeatService,
} from '../support/heartbeat-service.ts'
import { plansOf } from '../support/query-plans.ts'
import { RunHeartbeats } from '../support/run-heartbeats.ts'

let service: HeartbeatService
beforeEach(async () => {
  service = await startHeartbeatService()
})
afterEach(() => service.close())

const get = async (url: string) => {
  const answer = await service.api('GET', url)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}
const reported = async (checkId: string) =>
  (await get('/v1/reporting')).find((entry: { checkId: string }) => entry.checkId === checkId)
const summary = async (checkId: string) =>
  (await service.api('POST', '/v1/analytics/checks', { checkIds: [checkId] })).json()[0]
const series = async (checkId: string, query: string) =>
  (await get(`/v1/analytics/heartbeat-checks/${checkId}?${query}`)).series

test('a heartbeat is as available in the report as by its own figure', async () => {
  const { id, token } = await service.heartbeat({ tags: ['jobs'] })
  const silent = await service.heartbeat()
  await service.ping(token)
  await service.pass(10 * minuteMs)
  await service.ping(token)
  await service.pass(13 * minuteMs)
  await service.ping(token)
  await service.pass(secondMs)
  expect(await service.states(id)).toEqual(['RECEIVED', 'RECEIVED', 'FAILING', 'LATE'])
  const own = await get(`/v1/checks/heartbeats/${id}/availability`)
  expect(own.successRatio.currentPeriod).toBeCloseTo(2 / 3, 12)
  expect(await reported(id)).toMatchObject({
    checkType: 'HEARTBEAT',
    tags: ['jobs'],
    aggregate: { successRatio: 66.6667, avg: 0, p95: 0, p99: 0 },
  })
  expect(await reported(silent.id)).not.toHaveProperty('aggregate')
  const from = service.clock.now() - 5 * minuteMs
  const [entry] = await get(`/v1/reporting?filterByTags=jobs&from=${from}`)
  expect(entry.aggregate.successRatio).toBe(0)
})

test('one that is run is as available as its pings tell, and as fast as its runs were', async () => {
  const runs = new RunHeartbeats(service)
  const { id, token } = await runs.create()
  await runs.report(await runs.next(), 'passing')
  await runs.report(await runs.next(), 'failing')
  await runs.report(await runs.next(), 'passing')
  await service.pass(secondMs)
  await service.ping(token)
  await service.pass(secondMs)
  await service.pass(secondMs)
  await service.ping(token)
  await service.pass(secondMs)
  expect(await service.states(id)).toEqual(['RECEIVED', 'FAILING', 'LATE', 'EARLY', 'EARLY'])
  expect((await reported(id)).aggregate).toMatchObject({ successRatio: 75, avg: 12.5, p95: 12.5 })
  expect(await summary(id)).toMatchObject({
    availability: 75,
    responseTime_avg: 12.5,
    responseTime_p99: 12.5,
  })
  expect(await series(id, 'metrics=availability,retries,responseTime_max')).toEqual([
    { data: [{ availability: 75, retries: 0, responseTime_max: 12.5 }] },
  ])
  const failing = await series(id, 'metrics=availability,responseTime_p50&filterByStatus=FAILING')
  expect(failing).toEqual([{ data: [{ availability: 0, responseTime_p50: 12.5 }] }])
})

test('an interval in which one was run, and no ping expected, is timed all the same', async () => {
  const runs = new RunHeartbeats(service)
  const { id } = await runs.create({
    heartbeat: { period: 30, periodUnit: 'minutes', grace: 0, graceUnit: 'minutes' },
  })
  await runs.report(await runs.next(), 'failing')
  await service.pass(secondMs)
  const data = [{ availability: null, retries: null, responseTime_avg: 12.5 }]
  expect(await series(id, 'metrics=availability,retries,responseTime_avg')).toEqual([{ data }])
  expect(await series(id, 'metrics=availability,retries')).toEqual([])
  expect(await reported(id)).not.toHaveProperty('aggregate')
})

test('the figures of many are read by an index, a few statements for all of them', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `check ${index}`)
  const plans = await plansOf(service.database, (db) => heartbeatFigures(db, ids, { from: 0, to: 1 }))
  expect(plans).toHaveLength(5)
  for (const plan of plans) expect(plan).toContain('heartbeat_events_newest')
})
