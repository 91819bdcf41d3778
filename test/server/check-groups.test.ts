import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/lib/logger.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { contractFaults, contractIsHere, skippedWithoutContract } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

type Overrides = Record<string, unknown>
const createGroup = (body: Overrides, version: 'v1' | 'v2' = 'v2') =>
  service.api('POST', `/${version}/check-groups`, { name: 'Shop', ...body })
const createCheck = (overrides: Overrides) => service.api('POST', '/v1/checks/api', apiCheckBody(overrides))

const full = {
  name: 'Shop',
  activated: false,
  muted: true,
  tags: ['b', 'a'],
  locations: ['us-east-1', 'eu-west-1'],
  concurrency: 7,
  apiCheckDefaults: {
    url: 'https://shop.example',
    headers: [{ key: 'X-Team', value: 'shop', locked: true }],
    queryParameters: [{ key: 'q', value: '1', locked: false }],
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '200', regex: null }],
    basicAuth: { username: 'u', password: 'p' },
  },
  browserCheckDefaults: 'x',
  runtimeId: '2026.04',
  environmentVariables: [{ key: 'A', value: '1', locked: false, secret: false }],
  alertChannelSubscriptions: [],
  setupSnippetId: null,
  tearDownSnippetId: null,
  localSetupScript: 'console.log(1)',
  localTearDownScript: '',
  privateLocations: null,
  runParallel: true,
  alertSettings: {
    escalationType: 'RUN_BASED',
    runBasedEscalation: { failedRunThreshold: 2 },
    reminders: { amount: 0, interval: 5 },
    parallelRunFailureThreshold: { enabled: false, percentage: 10 },
  },
  useGlobalAlertSettings: false,
  retryStrategy: {
    type: 'FIXED',
    baseBackoffSeconds: 10,
    sameRegion: true,
    maxRetries: 2,
    maxDurationSeconds: 600,
    onlyOn: ['NETWORK_ERROR'],
  },
  doubleCheck: false,
}

describe.each(['v1', 'v2'] as const)('a group made through /%s', (version) => {
  test('comes back as it was sent, from each operation', async () => {
    const created = await createGroup(full, version)
    expect(created.statusCode, created.body).toBe(201)
    const group = created.json()
    expect(group).toEqual({ ...full, id: 1, created_at: '2026-03-01', updated_at: null })
    expect((await service.api('GET', '/v1/check-groups/1')).json()).toEqual(group)
    const list = await service.api('GET', '/v1/check-groups')
    expect([list.headers['content-range'], list.json()]).toEqual(['0-0/1', [group]])
    const deleted = await service.api('DELETE', '/v1/check-groups/1')
    expect([deleted.statusCode, deleted.body]).toEqual([204, ''])
    expect((await service.api('GET', '/v1/check-groups/1')).statusCode).toBe(404)
    expect((await service.api('DELETE', '/v1/check-groups/1')).statusCode).toBe(404)
  })

  test('is replaced by an update: what is left out takes its default', async () => {
    const fresh = (await createGroup({}, version)).json()
    const { id } = (await createGroup(full, version)).json()
    const updated = await service.api('PUT', `/${version}/check-groups/${id}`, { name: 'Shop' })
    expect(updated.statusCode, updated.body).toBe(200)
    expect(updated.json()).toEqual({ ...fresh, id, updated_at: expect.stringMatching(/^2026-03-01T/) })
  })

  test('stays what it is when what was read is sent back', async () => {
    const group = (await createGroup(full, version)).json()
    service.clock.advance(1000)
    const again = (await service.api('PUT', `/${version}/check-groups/${group.id}`, group)).json()
    expect(again).toEqual({ ...group, updated_at: '2026-03-01T12:00:01.000Z' })
  })

  test.runIf(contractIsHere)(`answers as the contract has it${skippedWithoutContract}`, async () => {
    const created = await createGroup(full, version)
    expect(contractFaults('POST', `/${version}/check-groups`, 201, created.json())).toEqual([])
    const read = await service.api('GET', '/v1/check-groups')
    expect(contractFaults('GET', '/v1/check-groups', 200, read.json())).toEqual([])
    const updated = await service.api('PUT', `/${version}/check-groups/1`, { name: 'n' })
    expect(contractFaults('PUT', `/${version}/check-groups/{id}`, 200, updated.json())).toEqual([])
  })
})

test('a group has the defaults of its kind', async () => {
  const shared = {
    activated: true,
    muted: false,
    tags: [],
    locations: [],
    concurrency: 3,
    retryStrategy: 'FALLBACK',
  }
  expect((await createGroup({}, 'v1')).json()).toMatchObject({
    ...shared,
    runParallel: false,
    useGlobalAlertSettings: true,
    doubleCheck: true,
  })
  expect((await createGroup({}, 'v2')).json()).toMatchObject({
    ...shared,
    runParallel: null,
    useGlobalAlertSettings: null,
    doubleCheck: false,
  })
})

test.each<[Overrides, string, string]>([
  [{ name: '' }, 'name', '"name" must not be empty'],
  [{ concurrency: 0 }, 'concurrency', '"concurrency" must be 1 or more, was 0'],
  [{ locations: ['mars-1'] }, 'locations[0]', 'must be one of ["us-east-1"'],
  [{ privateLocations: ['nowhere'] }, 'privateLocations', '"nowhere"'],
  [{ setupSnippetId: 4 }, 'setupSnippetId', '"setupSnippetId" names 4'],
  [
    { alertChannelSubscriptions: [{ alertChannelId: 9, activated: true }] },
    'alertChannelSubscriptions[0].alertChannelId',
    'names 9',
  ],
  [
    {
      environmentVariables: [
        { key: 'A', value: '1' },
        { key: 'A', value: '2' },
      ],
    },
    'environmentVariables[1].key',
    'twice',
  ],
  [
    { environmentVariables: Array.from({ length: 101 }, (_, n) => ({ key: `K${n}`, value: '' })) },
    'environmentVariables',
    'must have at most 100 items',
  ],
  [{ retryStrategy: 'NEVER' }, 'retryStrategy', '"FALLBACK"'],
])('a group %j is refused with 400 that names %s, and nothing is stored', async (body, key, text) => {
  const answer = await createGroup(body)
  expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [key]])
  expect(answer.json().message).toContain(text)
  expect((await service.api('GET', '/v1/check-groups')).json()).toEqual([])
})

test('lists are paged, the newest first, and filtered by tags, all of them, and by names, any of them', async () => {
  await createGroup({ name: 'one', tags: ['a'] })
  await createGroup({ name: 'two', tags: ['a', 'b'] })
  await createGroup({ name: 'three', tags: ['b'] })
  const names = async (query: string) => {
    const answer = await service.api('GET', `/v1/check-groups?${query}`)
    const list = answer.json().map(({ name }: { name: string }) => name)
    return [answer.headers['content-range'], ...list]
  }
  expect(await names('limit=2')).toEqual(['0-1/3', 'three', 'two'])
  expect(await names('limit=2&page=2')).toEqual(['2-2/3', 'one'])
  expect(await names('page=9')).toEqual(['*/3'])
  expect(await names('tag=a')).toEqual(['0-1/2', 'two', 'one'])
  expect(await names('tag=a&tag=b')).toEqual(['0-0/1', 'two'])
  expect(await names('name=one&name=three')).toEqual(['0-1/2', 'three', 'one'])
})

test('a group of another account is not there, for any operation', async () => {
  const { apiKey } = await service.addAccount()
  const { id } = (await createGroup({})).json()
  const check = (await createCheck({ groupId: id })).json()
  const foreign = (method: 'GET' | 'PUT' | 'DELETE', url: string, payload?: object) =>
    service.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${apiKey}` },
      ...(payload && { payload }),
    })
  const answers = [
    await foreign('GET', `/v1/check-groups/${id}`),
    await foreign('PUT', `/v1/check-groups/${id}`, { name: 'mine' }),
    await foreign('PUT', `/v2/check-groups/${id}`, { name: 'mine' }),
    await foreign('DELETE', `/v1/check-groups/${id}`),
    await foreign('GET', `/v1/check-groups/${id}/checks`),
    await foreign('GET', `/v1/check-groups/${id}/checks/${check.id}`),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404, 404, 404])
  const theirs = await service.app.inject({
    method: 'POST',
    url: '/v1/checks/api',
    headers: { authorization: `Bearer ${apiKey}` },
    payload: apiCheckBody({ groupId: id }),
  })
  expect([theirs.statusCode, theirs.json().validation.keys]).toEqual([400, ['groupId']])
})

test('the checks of a group are listed, and are out of it before it can be deleted', async () => {
  const { id } = (await createGroup({})).json()
  const inside = (await createCheck({ groupId: id })).json()
  const outside = (await createCheck({})).json()
  const list = await service.api('GET', `/v1/check-groups/${id}/checks`)
  expect([list.headers['content-range'], list.json()]).toEqual([
    '0-0/1',
    [{ id: inside.id, checkType: 'API' }],
  ])
  const one = await service.api('GET', `/v1/check-groups/${id}/checks/${inside.id}`)
  expect(one.json()).toEqual({ id: inside.id, checkType: 'API' })
  expect((await service.api('GET', `/v1/check-groups/${id}/checks/${outside.id}`)).statusCode).toBe(404)
  const refused = await service.api('DELETE', `/v1/check-groups/${id}`)
  expect([refused.statusCode, refused.json().message]).toEqual([
    409,
    'Please remove all checks from a group before deleting it.',
  ])
  await service.api('PUT', `/v1/checks/api/${inside.id}`, apiCheckBody({ groupId: null }))
  expect((await service.api('DELETE', `/v1/check-groups/${id}`)).statusCode).toBe(204)
})

test('a private location that a group runs at cannot be deleted', async () => {
  const place = (await service.api('POST', '/v1/private-locations', { name: 'p', slugName: 'office' })).json()
  const { id } = (await createGroup({ privateLocations: ['office'] })).json()
  const refused = await service.api('DELETE', `/v1/private-locations/${place.id}`)
  expect(refused.statusCode).toBe(409)
  expect(refused.json().message).toContain(`Check groups run at this private location`)
  await service.api('PUT', `/v2/check-groups/${id}`, { name: 'Shop' })
  expect((await service.api('DELETE', `/v1/private-locations/${place.id}`)).statusCode).toBe(204)
})

test("a check needs a place to run, its own or its group's", async () => {
  const nowhere = (await createGroup({})).json()
  const somewhere = (await createGroup({ locations: ['us-east-1'] })).json()
  const refused = await createCheck({ locations: [], groupId: nowhere.id })
  expect([refused.statusCode, refused.json().message]).toEqual([
    400,
    'You have to set at least one `location` or `privateLocation`',
  ])
  const created = await createCheck({ locations: [], groupId: somewhere.id })
  expect(created.statusCode, created.body).toBe(201)
  expect(created.json().locations).toEqual([])
})

test('a check is shown as it runs in its group where that is asked for', async () => {
  const { id } = (
    await createGroup({
      locations: ['us-east-1'],
      muted: true,
      environmentVariables: [{ key: 'TOKEN', value: 's3cret-of-the-group', secret: true }],
    })
  ).json()
  const check = (await createCheck({ groupId: id })).json()
  const url = `/v1/checks/${check.id}`
  expect((await service.api('GET', url)).json()).toEqual(check)
  const shown = {
    ...check,
    locations: ['us-east-1'],
    muted: true,
    environmentVariables: [{ key: 'TOKEN', value: '', locked: false, secret: true }],
  }
  const applied = await service.api('GET', `${url}?applyGroupSettings=true`)
  expect(applied.json()).toMatchObject({ ...shown, privateLocations: expect.anything() })
  const list = await service.api('GET', '/v1/checks?applyGroupSettings=true')
  expect(list.json()).toEqual([applied.json()])
  expect(applied.body).not.toContain('s3cret')
})

describe('who runs a check of a group', () => {
  const definitionOf = async (checkId: string) =>
    (await service.agent('definitions', { checkIds: [checkId] })).json().definitions[0]

  test('has the variables of check over group over account, secrets of each opened', async () => {
    await service.api('POST', '/v1/variables', { key: 'A', value: 'account' })
    await service.api('POST', '/v1/variables', { key: 'D', value: 'account', secret: true })
    const { id } = (
      await createGroup({
        apiCheckDefaults: { url: 'https://shop.example' },
        environmentVariables: [
          { key: 'A', value: 'group' },
          { key: 'B', value: 'group' },
          { key: 'C', value: 'secret of the group', secret: true },
        ],
      })
    ).json()
    const check = (
      await createCheck({ groupId: id, environmentVariables: [{ key: 'B', value: 'check' }] })
    ).json()
    const { variables } = await definitionOf(check.id)
    const values = variables.map(({ key, value }: { key: string; value: string }) => `${key}=${value}`)
    expect(values.toSorted()).toEqual([
      'A=group',
      'B=check',
      'C=secret of the group',
      'D=account',
      'GROUP_BASE_URL=https://shop.example',
    ])
    expect((await service.api('GET', `/v1/check-groups/${id}`)).body).not.toContain('secret of the group')
  })

  test('has a new version of it when the group changes, and a secret sent back empty stays', async () => {
    const secret = { key: 'C', value: 'kept', secret: true, locked: false }
    const { id } = (await createGroup({ environmentVariables: [secret] })).json()
    const check = (await createCheck({ groupId: id })).json()
    const before = await definitionOf(check.id)
    const header = { key: 'X-New', value: '1', locked: false }
    await service.api('PUT', `/v2/check-groups/${id}`, {
      name: 'Shop',
      apiCheckDefaults: { headers: [header] },
      environmentVariables: [{ ...secret, value: '' }],
    })
    const after = await definitionOf(check.id)
    expect(after.version).toBe(before.version + 1)
    expect(after.request.headers).toEqual([header])
    expect(after.variables).toEqual([secret])
  })
})

describe("the runs of a group's checks", () => {
  async function planned(): Promise<string[]> {
    const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
    const { database, clock } = service
    const db = database.kysely
    await schedulerTurn({ ...service, locations: new LocationWatch({ db, logger, startedAt: clock.now() }) })
    const runs = await db
      .selectFrom('checkRuns')
      .select('location')
      .where('createdAt', '=', clock.now())
      .execute()
    return runs.map(({ location }) => location)
  }

  test('are planned where the group says, and no more once it is deactivated', async () => {
    const { id } = (await createGroup({ locations: ['us-east-1'] })).json()
    await createCheck({ groupId: id })
    service.clock.advance(10_000)
    expect(new Set(await planned())).toEqual(new Set(['us-east-1']))
    await service.api('PUT', `/v2/check-groups/${id}`, { name: 'Shop', locations: ['eu-west-2'] })
    service.clock.advance(10_000)
    expect(new Set(await planned())).toEqual(new Set(['eu-west-2']))
    await service.api('PUT', `/v2/check-groups/${id}`, { name: 'Shop', activated: false })
    service.clock.advance(10_000)
    expect(await planned()).toEqual([])
    await service.api('PUT', `/v2/check-groups/${id}`, { name: 'Shop' })
    service.clock.advance(10_000)
    expect(new Set(await planned())).toEqual(new Set(['eu-west-1']))
  })
})
