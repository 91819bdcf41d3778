import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Run } from '../../../src/contract/run.ts'
import { runIdOf } from '../../../src/contract/run-ids.ts'
import { createLogger } from '../../../src/lib/logger.ts'
import { firstDueAfter } from '../../../src/rules/schedule.ts'
import { audit, isSound } from '../../../src/server/audit/audit.ts'
import { LocationWatch } from '../../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../../src/server/loops/scheduler.ts'
import { agentId, otherAgentId, resultOf } from '../../support/agent-messages.ts'
import { apiCheckBody } from '../../support/api-checks.ts'
import { startTestService, type TestService } from '../../support/test-service.ts'

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
const location = 'eu-west-1'
let service: TestService
let checkId: string
beforeEach(async () => {
  service = await startTestService()
  checkId = (await service.api('POST', '/v1/checks/api', apiCheckBody({ locations: [location] }))).json().id
})
afterEach(() => service.close())

const check = () =>
  service.database.kysely.selectFrom('checks').selectAll().where('id', '=', checkId).executeTakeFirstOrThrow()
const ledger = () =>
  service.database.kysely
    .selectFrom('checkRuns')
    .select(['id', 'state', 'outcome', 'agentId', 'leaseUntil', 'attempt'])
    .orderBy('dueAt')
    .execute()
const report = (...results: readonly object[]) => service.agent('results', { agentId, results })

/** The run of a slot as an agent plans it by itself; of the first slot from here on unless told. */
async function ownRun(changes: Partial<Run> = {}): Promise<Run> {
  const row = await check()
  const slot = { checkId, location, dueAt: firstDueAfter(row, service.clock.now()), ...changes }
  return {
    id: runIdOf(slot.checkId, slot.location, slot.dueAt),
    version: 1,
    intervalMs: row.intervalMs,
    attempt: 1,
    attemptAt: slot.dueAt,
    firstStartedAt: null,
    ...slot,
  }
}

const sound = async (fromMs: number) =>
  isSound(await audit(service.database.kysely, { accountId: null, fromMs, untilMs: service.clock.now() }))

test('what an agent ran by itself while nobody planned is the outcome of its slot, once, and what is planned later passes it by', async () => {
  const from = service.clock.now()
  const run = await ownRun()
  service.clock.advance(35_000)
  const result = resultOf(run, run.dueAt + 5, 'passing')
  expect((await report(result)).json()).toEqual({ accepted: 1, refused: [] })
  expect((await report(result)).json()).toEqual({ accepted: 1, refused: [] })
  expect(await ledger()).toMatchObject([{ id: run.id, state: 'done', outcome: 'passed' }])
  expect((await service.api('GET', `/v1/check-results/${checkId}`)).json()).toHaveLength(1)
  const locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
  await schedulerTurn({ ...service, locations })
  expect((await ledger()).filter(({ id }) => id === run.id)).toMatchObject([{ outcome: 'passed' }])
  expect(await sound(from)).toBe(true)
})

test('of two agents that ran the same slot the first counts', async () => {
  const run = await ownRun()
  service.clock.advance(35_000)
  await report(resultOf(run, run.dueAt + 5, 'passing'))
  const other = { agentId: otherAgentId, results: [resultOf(run, run.dueAt + 6, 'failing')] }
  expect((await service.agent('results', other)).json()).toEqual({ accepted: 1, refused: [] })
  expect(await ledger()).toMatchObject([{ outcome: 'passed' }])
})

test('an attempt of such a run leaves it with the agent that makes the next', async () => {
  const run = await ownRun()
  service.clock.advance(35_000)
  const retryAt = service.clock.now() + 5000
  await report(resultOf(run, run.dueAt + 5, 'failing', { resultType: 'ATTEMPT', retryAt }))
  expect(await ledger()).toMatchObject([
    { state: 'leased', agentId, leaseUntil: retryAt + 60_000, attempt: 2 },
  ])
})

test('a slot that the schedule never had leaves no trace, and is no fault of the agent', async () => {
  const { dueAt } = await ownRun()
  service.clock.advance(35_000)
  const strange = [
    await ownRun({ dueAt: dueAt + 1 }),
    await ownRun({ dueAt, location: 'us-east-1' }),
    await ownRun({ dueAt, checkId: otherAgentId }),
    { ...(await ownRun({ dueAt })), id: otherAgentId },
    await ownRun({ dueAt: dueAt - 3_600_000 }),
  ]
  const answer = await report(...strange.map((run) => resultOf(run, run.dueAt + 5, 'passing')))
  expect(answer.json()).toEqual({ accepted: strange.length, refused: [] })
  expect(await ledger()).toEqual([])
})

test('nobody speaks for slots of a location that is not theirs', async () => {
  const place = await service.api('POST', '/v1/private-locations', { name: 'office', slugName: 'office' })
  const { rawKey } = (await service.api('POST', `/v1/private-locations/${place.json().id}/keys`, {})).json()
  const run = await ownRun()
  service.clock.advance(35_000)
  const results = [resultOf(run, run.dueAt + 5, 'failing')]
  const answer = await service.agent('results', { agentId, results }, rawKey)
  expect(answer.json()).toMatchObject({ accepted: 0, refused: [{ index: 0 }] })
  expect((await ledger()).filter(({ state }) => state === 'done')).toEqual([])
})
