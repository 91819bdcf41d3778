import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type HeartbeatService,
  minuteMs,
  secondMs,
  startHeartbeatService,
} from '../support/heartbeat-service.ts'
import { RunHeartbeats } from '../support/run-heartbeats.ts'

let service: HeartbeatService
let runs: RunHeartbeats
beforeEach(async () => {
  service = await startHeartbeatService()
  runs = new RunHeartbeats(service)
})
afterEach(() => service.close())

const minutes = async (id: string) => {
  const events = await service.events(id)
  const from = Date.parse(events[0]?.timestamp ?? '')
  return events.map(({ state, timestamp }) => `${state} ${(Date.parse(timestamp) - from) / minuteMs}`)
}

test('without grace does not fail for the time that its runs take, nor for how long their results are on their way', async () => {
  const { id } = await runs.create()
  for (const tookMs of [100, 40 * secondMs, 0, 25 * secondMs]) {
    const run = await runs.next()
    await service.pass(tookMs)
    await runs.report(run, 'passing')
  }
  await service.pass(50 * secondMs)
  expect(await minutes(id)).toEqual(['RECEIVED 0', 'RECEIVED 1', 'RECEIVED 2', 'RECEIVED 3'])
  expect(await service.status(id)).toMatchObject({ hasFailures: false })
})

test('fails at its deadline for a run that failed, as soon as its result is here, and once for each', async () => {
  const { id } = await runs.create()
  await runs.report(await runs.next(), 'passing')
  const run = await runs.next()
  await service.pass(20 * secondMs)
  expect(await service.status(id)).toMatchObject({ hasFailures: false })
  await runs.report(run, 'failing')
  await service.pass(secondMs)
  expect(await service.status(id)).toMatchObject({ hasFailures: true })
  await runs.report(await runs.next(), 'failing')
  await runs.report(await runs.next(), 'passing')
  await service.pass(secondMs)
  expect(await minutes(id)).toEqual(['RECEIVED 0', 'FAILING 1', 'FAILING 2', 'LATE 3'])
  expect(await service.status(id)).toMatchObject({ hasFailures: false })
})

test('with grace fails when that has passed, too', async () => {
  const { id } = await runs.create({
    heartbeat: { period: 1, periodUnit: 'minutes', grace: 30, graceUnit: 'seconds' },
  })
  await runs.report(await runs.next(), 'passing')
  await runs.report(await runs.next(), 'failing')
  await service.pass(29 * secondMs)
  expect(await minutes(id)).toEqual(['RECEIVED 0'])
  await service.pass(2 * secondMs)
  expect(await minutes(id)).toEqual(['RECEIVED 0', 'FAILING 1.5'])
})

test.each([
  ['that erred', { kind: 'errored', reason: 'resolver-unreachable', message: 'no resolver' }],
  ['that was late', { kind: 'missed', reason: 'late' }],
] as const)('does not fail for a run %s: it says nothing of the target', async (_what, conclusion) => {
  const { id } = await runs.create()
  await runs.report(await runs.next(), 'passing')
  await runs.report(await runs.next(), 'passing', { conclusion })
  await service.pass(40 * secondMs)
  expect(await minutes(id)).toEqual(['RECEIVED 0'])
  await runs.report(await runs.next(), 'passing')
  await runs.report(await runs.next(), 'failing')
  await service.pass(secondMs)
  expect(await minutes(id)).toEqual(['RECEIVED 0', 'GRACE 2', 'FAILING 3'])
})

test('fails a period after its first run where none ever passed, and has a status from then on', async () => {
  const { id } = await runs.create()
  await runs.report(await runs.next(), 'failing')
  expect(await service.status(id)).toBeNull()
  await service.pass(50 * secondMs)
  expect(await service.events(id)).toEqual([])
  await runs.report(await runs.next(), 'failing')
  await service.pass(secondMs)
  expect(await service.states(id)).toEqual(['FAILING'])
  expect(await service.status(id)).toMatchObject({ hasFailures: true })
  await runs.report(await runs.next(), 'passing')
  await service.pass(secondMs)
  expect(await minutes(id)).toEqual(['FAILING 0', 'LATE 1'])
  expect(await service.status(id)).toMatchObject({ hasFailures: false })
})

test('does not fail while nobody runs it', async () => {
  const { id } = await runs.create()
  await runs.report(await runs.next(), 'passing')
  await service.pass(20 * minuteMs)
  expect(await minutes(id)).toEqual(['RECEIVED 0'])
})

test('does not fail for our own downtime when a result is the first to tell of it', async () => {
  const { id } = await runs.create()
  await runs.report(await runs.next(), 'passing')
  service.clock.advance(60 * minuteMs)
  await runs.nextUnseen()
  service.clock.advance(minuteMs)
  await runs.report(await runs.nextUnseen(), 'passing')
  expect(await service.states(id)).toEqual(['RECEIVED', 'GRACE'])
})

test('one without a request that shares its token does not fail for our own downtime either', async () => {
  const pingToken = '11111111-2222-4333-8444-555555555555'
  const heartbeat = { period: 1, periodUnit: 'minutes', grace: 30, graceUnit: 'seconds', pingToken }
  const other = await service.heartbeat({ heartbeat })
  await runs.create({ heartbeat })
  await runs.report(await runs.next(), 'passing')
  service.clock.advance(60 * minuteMs)
  await runs.nextUnseen()
  service.clock.advance(minuteMs)
  await runs.report(await runs.nextUnseen(), 'passing')
  expect(await service.states(other.id)).toEqual(['RECEIVED', 'GRACE'])
})

test('a run whose result comes late pings as of when it was due, and undoes what was believed', async () => {
  const { id } = await runs.create()
  await runs.report(await runs.next(), 'passing')
  const late = await runs.next()
  await runs.report(await runs.next(), 'failing')
  await service.pass(secondMs)
  expect(await minutes(id)).toEqual(['RECEIVED 0', 'FAILING 2'])
  await runs.report(late, 'passing')
  await runs.report(await runs.next(), 'failing')
  await service.pass(secondMs)
  expect(await minutes(id)).toEqual(['RECEIVED 0', 'RECEIVED 1', 'FAILING 2', 'FAILING 3'])
})
