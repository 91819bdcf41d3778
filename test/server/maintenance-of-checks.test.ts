import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/lib/logger.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
let service: TestService
let locations: LocationWatch
beforeEach(async () => {
  service = await startTestService()
  locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
})
afterEach(() => service.close())

/** Plans eight minutes, turn by turn, and gives every slot of the check with what became of it. */
async function planEightMinutes(checkId: string) {
  for (let turn = 0; turn < 48; turn += 1) {
    service.clock.advance(10_000)
    await schedulerTurn({ ...service, locations })
  }
  return service.database.kysely
    .selectFrom('checkRuns')
    .select(['dueAt', 'state', 'outcome', 'reason'])
    .where('checkId', '=', checkId)
    .orderBy('dueAt')
    .execute()
}

const create = async (path: string, body: object, key?: string) => {
  const headers = { authorization: `Bearer ${key ?? service.apiKey}` }
  const answer = await service.app.inject({ method: 'POST', url: `/v1/${path}`, headers, payload: body })
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json()
}
const createCheck = async (tags: string[]) => (await create('checks/api', apiCheckBody({ tags }))).id
const window = {
  name: 'w',
  tags: ['db'],
  repeatUnit: 'DAY',
  startsAt: '2026-03-01T12:02:00Z',
  endsAt: '2026-03-01T12:05:00Z',
}
const inside = (dueAt: number) => dueAt >= Date.parse(window.startsAt) && dueAt < Date.parse(window.endsAt)

describe('in a maintenance window', () => {
  test('every slot of a check with its tag is missed, with the reason; before and after it runs', async () => {
    await create('maintenance-windows', window)
    const runs = await planEightMinutes(await createCheck(['web', 'db']))
    const skipped = runs.filter(({ dueAt }) => inside(dueAt))
    expect(skipped).toHaveLength(18)
    for (const run of skipped) {
      expect(run).toMatchObject({ state: 'done', outcome: 'missed', reason: 'maintenance' })
    }
    const others = runs.filter(({ dueAt }) => !inside(dueAt))
    expect(others.length).toBeGreaterThanOrEqual(29)
    for (const run of others) expect(run).toMatchObject({ state: 'pending', outcome: null, reason: null })
  })

  test('no agent is given a run of the check', async () => {
    await create('maintenance-windows', { ...window, startsAt: '2026-03-01', endsAt: '2026-03-02' })
    await createCheck(['db'])
    const other = await createCheck([])
    service.clock.advance(10_000)
    await schedulerTurn({ ...service, locations })
    const claim = { agentId, capabilities: agentCapabilities, slots: 100, waitMs: 0 }
    const { runs } = (await service.agent('claims', claim)).json()
    expect([...new Set(runs.map(({ checkId }: { checkId: string }) => checkId))]).toEqual([other])
  })

  test('a check whose group has its tag is skipped', async () => {
    await create('maintenance-windows', window)
    const group = await create('check-groups', { name: 'g', tags: ['db'] })
    const check = await create('checks/api', apiCheckBody({ groupId: group.id }))
    const runs = await planEightMinutes(check.id)
    expect(runs.filter(({ reason }) => reason === 'maintenance')).toHaveLength(18)
  })

  test.each([[['web']], [[]]])('a check with the tags %j runs', async (tags) => {
    await create('maintenance-windows', window)
    await create('maintenance-windows', { ...window, tags: [] })
    const runs = await planEightMinutes(await createCheck(tags))
    expect(runs.filter(({ dueAt }) => inside(dueAt))).toHaveLength(18)
    expect(runs.filter(({ outcome }) => outcome !== null)).toEqual([])
  })

  test('of another account a check runs, and one whose window was deleted', async () => {
    const { apiKey } = await service.addAccount()
    await create('maintenance-windows', window, apiKey)
    const { id } = await create('maintenance-windows', window)
    expect((await service.api('DELETE', `/v1/maintenance-windows/${id}`)).statusCode).toBe(204)
    const runs = await planEightMinutes(await createCheck(['db']))
    expect(runs.filter(({ outcome }) => outcome !== null)).toEqual([])
  })
})
