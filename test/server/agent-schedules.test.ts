import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OwnPlan } from '../../src/agent/away/own-plan.ts'
import type { ClaimResponse } from '../../src/contract/agent-protocol.ts'
import type { Schedules, SchedulesResponse } from '../../src/contract/agent-schedules.ts'
import type { Run } from '../../src/contract/run.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { embeddedKey, startTestService, type TestService } from '../support/test-service.ts'

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
let service: TestService
let locations: LocationWatch
beforeEach(async () => {
  service = await startTestService()
  locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
})
afterEach(() => service.close())

async function create(path: string, body: object) {
  const answer = await service.api('POST', `/v1/${path}`, body)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json()
}
const createCheck = async (overrides: object = {}): Promise<string> =>
  (await create('checks/api', apiCheckBody({ ...overrides }))).id

async function read(known: string | null = null, key = embeddedKey): Promise<SchedulesResponse> {
  const body = { agentId, capabilities: agentCapabilities, known }
  const answer = await service.agent('schedules', body, key)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

async function schedules(key = embeddedKey): Promise<Schedules> {
  const { schedules: held } = await read(null, key)
  if (!held) throw new Error('no schedules')
  return held
}
const checkIds = ({ checks }: Schedules) => checks.map(({ checkId }) => checkId)

async function keyOf(slugName: string): Promise<string> {
  const { id } = await create('private-locations', { name: slugName, slugName })
  return (await create(`private-locations/${id}/keys`, {})).rawKey
}

const minutes = 12
/** What the service plans from here on, and gives to the agent with this key; each once, however often it is leased. */
async function claimedSlots(key: string): Promise<Run[]> {
  const runs = new Map<string, Run>()
  for (let turn = 0; turn < minutes * 30; turn += 1) {
    service.clock.advance(2000)
    await schedulerTurn({ ...service, locations })
    const body = { agentId, capabilities: agentCapabilities, slots: 1000, waitMs: 0 }
    const claimed = (await service.agent('claims', body, key)).json<ClaimResponse>().runs
    for (const run of claimed) runs.set(run.id, run)
  }
  return [...runs.values()]
}

const inOrder = (runs: readonly Run[]) => runs.toSorted((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))

describe('the schedules that an agent goes on by', () => {
  test('give it the very runs that the service plans for it, and no others', async () => {
    const here = await keyOf('here')
    await keyOf('there')
    const privateLocations = ['there', 'here']
    await createCheck({ locations: ['eu-west-1', 'us-east-1'], privateLocations, frequencyOffset: 20 })
    await createCheck({ runParallel: true, privateLocations, frequency: 1, frequencyOffset: undefined })
    await createCheck({ privateLocations: ['here'], tags: ['db'] })
    await createCheck({ privateLocations: ['there'] })
    await createCheck({ privateLocations: ['here'], activated: false })
    const group = await create('check-groups', {
      name: 'g',
      locations: [],
      privateLocations: ['here'],
      concurrency: 1,
    })
    await createCheck({ locations: ['us-east-1'], groupId: group.id, frequencyOffset: 30 })
    await create('maintenance-windows', {
      name: 'w',
      tags: ['db'],
      repeatUnit: 'DAY',
      startsAt: '2026-03-01T12:03:00Z',
      endsAt: '2026-03-01T12:06:00Z',
    })
    const from = service.clock.now()
    const plan = new OwnPlan(await schedules(here), from)
    const claimed = await claimedSlots(here)
    const until = from + minutes * 60_000
    const own = plan.take(from, until, 100_000)
    const planned = claimed.filter(({ dueAt }) => dueAt <= until && dueAt > from)
    expect(planned.length).toBeGreaterThan(60)
    expect(inOrder(own)).toEqual(inOrder(planned))
  })

  test('travel once: a revision that still stands is all that is said', async () => {
    const id = await createCheck()
    const first = await read()
    expect(await read(first.revision)).toEqual({
      serverTime: service.clock.now(),
      revision: first.revision,
      schedules: null,
    })
    await service.api('PUT', `/v1/checks/api/${id}`, apiCheckBody({ frequencyOffset: 20 }))
    const second = await read(first.revision)
    expect(second.revision).not.toBe(first.revision)
    expect(second.schedules?.checks).toMatchObject([{ checkId: id, intervalMs: 20_000 }])
  })

  test.each([
    ['a variable of the account', () => create('variables', { key: 'A', value: 'b' })],
    [
      'a maintenance window',
      () =>
        create('maintenance-windows', {
          name: 'w',
          tags: ['x'],
          repeatUnit: 'DAY',
          startsAt: '2026-03-01',
          endsAt: '2026-03-02',
        }),
    ],
    ['another check', () => createCheck()],
  ])('are told again after %s', async (_, change) => {
    await createCheck()
    const { revision } = await read()
    await change()
    expect((await read(revision)).schedules).not.toBeNull()
  })

  test('are of the checks that the agent may run: of its location, its account and its abilities', async () => {
    const key = await keyOf('office')
    const own = await createCheck({ locations: [], privateLocations: ['office'] })
    const elsewhere = await createCheck({ locations: ['eu-west-1'] })
    const scripted = await createCheck({ locations: ['eu-west-1'], localSetupScript: 'request.url = 1' })
    expect(checkIds(await schedules(key))).toEqual([own])
    expect(checkIds(await schedules())).toEqual([elsewhere])
    expect(scripted).not.toBe(elsewhere)
  })

  test('are for agents alone', async () => {
    const body = { agentId, capabilities: agentCapabilities, known: null }
    expect((await service.agent('schedules', body, service.apiKey)).statusCode).toBe(401)
  })
})
