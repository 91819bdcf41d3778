import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { readServerConfig } from '../../src/server/config.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId, resultOf } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { contractFaults, contractIsHere, skippedWithoutContract } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

type State = Parameters<typeof resultOf>[2]

const badge = (path: string) => service.app.inject({ method: 'GET', url: `/v1/badges/${path}` })

/** What a badge says to a reader of its text. */
const said = async (path: string) => /<title>(.*)<\/title>/.exec((await badge(path)).body)?.[1]

async function addCheck(overrides: Record<string, unknown> = {}): Promise<string> {
  const answer = await service.api('POST', '/v1/checks/api', apiCheckBody(overrides))
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json().id
}

/** Runs every check that is due once, with the state that is given for it. */
async function runAll(states: Readonly<Record<string, State>>): Promise<void> {
  service.clock.advance(10 * 60_000)
  const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
  const locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
  await schedulerTurn({ ...service, locations })
  service.clock.advance(5000)
  const claim = { agentId, capabilities: agentCapabilities, slots: 10, waitMs: 0 }
  const { runs } = (await service.agent('claims', claim)).json()
  const ran = new Set(runs.map(({ checkId }: { checkId: string }) => checkId))
  expect(ran).toEqual(new Set(Object.keys(states)))
  const results = runs.map((run: Parameters<typeof resultOf>[0]) =>
    resultOf(run, service.clock.now(), states[run.checkId] ?? 'passing'),
  )
  const answer = await service.agent('results', { agentId, results })
  expect(answer.statusCode, answer.body).toBe(200)
}

describe('the badge of a check, without a key', () => {
  test.each(['passing', 'degraded', 'failing'] as const)('says that it is %s', async (state) => {
    const id = await addCheck()
    await runAll({ [id]: state })
    expect(await said(`checks/${id}`)).toBe(`status: ${state}`)
  })

  test('says the response time of the newest result where asked', async () => {
    const id = await addCheck()
    expect(await said(`checks/${id}?responseTime=true`)).toBe('status: unknown')
    await runAll({ [id]: 'passing' })
    expect(await said(`checks/${id}?responseTime=true`)).toBe('status: passing, 13 ms')
  })

  test('tells no check that does not exist from one that never ran or is not active', async () => {
    const inactive = await addCheck()
    await runAll({ [inactive]: 'failing' })
    const off = await service.api('PUT', `/v1/checks/api/${inactive}`, apiCheckBody({ activated: false }))
    expect(off.statusCode).toBe(200)
    const unrun = await addCheck()
    const bodies = await Promise.all([unrun, inactive, newId(), 'x'].map((id) => badge(`checks/${id}`)))
    expect(bodies[0]?.body).toContain('unknown')
    expect(new Set(bodies.map(({ body, statusCode }) => `${statusCode} ${body}`)).size).toBe(1)
  })

  test('names nothing', async () => {
    const id = await addCheck({ name: 'Secret launch', tags: ['launch'] })
    await runAll({ [id]: 'failing' })
    expect((await badge(`checks/${id}`)).body).not.toMatch(/launch|127\.0\.0\.1/i)
  })

  test('is an image that pages of other sites may show for a minute', async () => {
    const { headers, body } = await badge(`checks/${newId()}`)
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=60',
    })
    expect(body).toMatch(/^<svg /)
  })

  test.each(['flat', 'plastic', 'flat-square', 'for-the-badge', 'social'])(
    'comes in style %s',
    async (style) => {
      const answer = await badge(`checks/${newId()}?style=${style}`)
      expect(answer.statusCode).toBe(200)
      expect(answer.body).toMatch(/unknown/i)
    },
  )

  test('comes in three themes and no other', async () => {
    const bodies = await Promise.all(
      ['light', 'dark', 'default'].map(async (theme) => (await badge(`checks/x?theme=${theme}`)).body),
    )
    expect(new Set(bodies).size).toBe(3)
    expect((await badge('checks/x?theme=blue')).json()).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('"theme" must be one of'),
    })
  })

  test.skipIf(!contractIsHere)(`has the shape of the contract${skippedWithoutContract}`, async () => {
    const { body } = await badge(`checks/${newId()}`)
    expect(contractFaults('GET', '/v1/badges/checks/{checkId}', 200, body)).toEqual([])
  })
})

describe('the badge of a check group', () => {
  test.each([
    [['passing', 'passing'], 'passing'],
    [['passing', 'degraded'], 'degraded'],
    [['degraded', 'failing'], 'failing'],
  ] as const)('says the worst of its checks: %j', async (states, worst) => {
    const group = await service.api('POST', '/v1/check-groups', { name: 'Shop', apiCheckDefaults: {} })
    expect(group.statusCode, group.body).toBe(201)
    const groupId = group.json().id
    const ids = await Promise.all(states.map(() => addCheck({ groupId })))
    await runAll(Object.fromEntries(ids.map((id, index) => [id, states[index] ?? 'passing'])))
    expect(await said(`groups/${groupId}?responseTime=true`)).toBe(`status: ${worst}, 13 ms`)
  })

  test('tells no group that does not exist from an empty one, and takes numbers only', async () => {
    expect(await said('groups/4711')).toBe('status: unknown')
    expect((await badge('groups/shop')).statusCode).toBe(400)
  })
})

test('badges are not served where the operator switched them off', async () => {
  const { badges } = readServerConfig({ PICKET_BADGES: 'off' })
  const silent = await startTestService({ badges })
  const answer = await silent.app.inject({ method: 'GET', url: `/v1/badges/checks/${newId()}` })
  expect(answer.statusCode).toBe(404)
  await silent.close()
})
