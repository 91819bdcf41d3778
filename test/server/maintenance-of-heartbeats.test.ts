import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type HeartbeatService,
  minuteMs,
  secondMs,
  startHeartbeatService,
} from '../support/heartbeat-service.ts'

let service: HeartbeatService
beforeEach(async () => {
  service = await startHeartbeatService()
})
afterEach(() => service.close())

/** Minutes after the service began, at noon. */
const at = (minutes: number) =>
  new Date(Date.parse('2026-03-01T12:00:00Z') + minutes * minuteMs).toISOString()

async function openWindow(from: number, to: number, changes: object = {}): Promise<number> {
  const window = {
    name: 'w',
    tags: ['db'],
    repeatUnit: 'DAY',
    startsAt: at(from),
    endsAt: at(to),
    ...changes,
  }
  const answer = await service.api('POST', '/v1/maintenance-windows', window)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json().id
}

const story = async (id: string) =>
  (await service.events(id)).map(
    ({ state, timestamp }) => `${state} ${(Date.parse(timestamp) - Date.parse(at(0))) / minuteMs}`,
  )

test.each([
  ['its deadline passes', 11, 30],
  ['the ping is expected', 5, 11],
])(
  'a heartbeat does not fail for maintenance in which %s: it begins anew when that ends',
  async (_when, from, to) => {
    await openWindow(from, to)
    const { id, token } = await service.heartbeat({ tags: ['db'] })
    await service.ping(token)
    await service.pass((to + 12) * minuteMs)
    expect(await story(id)).toEqual(['RECEIVED 0'])
    expect(await service.status(id)).toMatchObject({ hasFailures: false })
    await service.pass(secondMs)
    expect(await story(id)).toEqual(['RECEIVED 0', `FAILING ${to + 12}`])
    expect(await service.status(id)).toMatchObject({ hasFailures: true })
  },
)

test.each([
  ['is over before a ping is expected', 2, 10, ['db']],
  ['begins after the deadline', 13, 30, ['db']],
  ['is for others', 5, 30, ['web']],
  ['is for none', 5, 30, []],
])('a heartbeat fails in time where maintenance %s', async (_what, from, to, tags) => {
  await openWindow(from, to, { tags })
  const { id, token } = await service.heartbeat({ tags: ['db'] })
  await service.ping(token)
  await service.pass(12 * minuteMs + secondMs)
  expect(await story(id)).toEqual(['RECEIVED 0', 'FAILING 12'])
})

test('maintenance of the group holds its heartbeats, too', async () => {
  await openWindow(11, 30)
  const group = await service.api('POST', '/v2/check-groups', { name: 'Jobs', tags: ['db'] })
  const { id, token } = await service.heartbeat({ groupId: group.json().id })
  await service.ping(token)
  await service.pass(40 * minuteMs)
  expect(await story(id)).toEqual(['RECEIVED 0'])
})

test('a ping in maintenance counts, also when it is the first to tell that a deadline passed', async () => {
  await openWindow(11, 30)
  const { id, token } = await service.heartbeat({ tags: ['db'] })
  await service.ping(token)
  await service.pass(20 * minuteMs)
  await service.ping(token)
  expect(await story(id)).toEqual(['RECEIVED 0', 'GRACE 20'])
  const own = await service.api('GET', `/v1/checks/heartbeats/${id}/availability`)
  expect(own.json()).toEqual({
    successRatio: { previousPeriod: 0, currentPeriod: 1 },
    totalEntitiesCurrentPeriod: 2,
  })
})

test('a job that says in maintenance that it failed is believed', async () => {
  await openWindow(5, 30)
  const { id, token } = await service.heartbeat({ tags: ['db'] })
  await service.ping(token)
  await service.pass(10 * minuteMs)
  await service.ping(token, { says: 'fail' })
  expect(await story(id)).toEqual(['RECEIVED 0', 'FAILING 10'])
})

test('a window that is deleted holds nothing any more, from the next minute on', async () => {
  const window = await openWindow(11, 300)
  const { id, token } = await service.heartbeat({ tags: ['db'] })
  await service.ping(token)
  await service.pass(60 * minuteMs)
  expect(await story(id)).toEqual(['RECEIVED 0'])
  await service.api('DELETE', `/v1/maintenance-windows/${window}`)
  await service.pass(minuteMs + secondMs)
  expect((await story(id)).slice(0, 2)).toEqual(['RECEIVED 0', 'FAILING 12'])
})

test('windows that follow upon each other are one', async () => {
  await openWindow(11, 30)
  await openWindow(30, 45)
  const { id, token } = await service.heartbeat({ tags: ['db'] })
  await service.ping(token)
  await service.pass(57 * minuteMs + secondMs)
  expect(await story(id)).toEqual(['RECEIVED 0', 'FAILING 57'])
})

test('a job that is silent through one maintenance after the other fails when the third is over', async () => {
  for (const from of [9, 21, 33, 45]) await openWindow(from, from + 3)
  const { id, token } = await service.heartbeat({ tags: ['db'] })
  await service.ping(token)
  await service.pass(37 * minuteMs)
  expect(await story(id)).toEqual(['RECEIVED 0', 'FAILING 36'])
})
