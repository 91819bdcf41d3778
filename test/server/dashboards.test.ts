import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hashKey } from '../../src/lib/ids.ts'
import { contractFaults, contractIsHere, skippedWithoutContract } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const url = '/v1/dashboards'
const create = (body: object) => service.api('POST', url, body)
const created = async (body: object) => {
  const answer = await create(body)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json()
}
const read = (id: string) => service.api('GET', `${url}/${id}`)

/** Of service.md, for what is left out. */
const defaults = {
  customDomain: null,
  logo: null,
  favicon: null,
  description: null,
  width: 'FULL',
  refreshRate: 60,
  paginate: true,
  paginationRate: 60,
  checksPerPage: 15,
  useTagsAndOperator: false,
  hideTags: false,
  enableIncidents: false,
  expandChecks: false,
  tags: [],
  showHeader: true,
  showCheckRunLinks: false,
  showGroupNames: true,
  customCSS: '',
  isPrivate: false,
  showP95: true,
  showP99: true,
}
const least = { header: 'Shop' }
const full = {
  customDomain: 'Status.Example.com',
  customUrl: 'My-shop-1',
  logo: 'https://a.example/logo.png?x=1',
  favicon: '/favicon.ico',
  link: 'https://a.example',
  description: ' all of it \n',
  header: 'Shop',
  width: '960PX',
  refreshRate: 600,
  paginate: false,
  paginationRate: 300,
  checksPerPage: 20,
  useTagsAndOperator: true,
  hideTags: true,
  enableIncidents: true,
  expandChecks: true,
  tags: ['b', 'a', 'b'],
  showHeader: false,
  showCheckRunLinks: true,
  showGroupNames: false,
  customCSS: 'body { color: red }',
  isPrivate: false,
  showP95: false,
  showP99: false,
}

describe('a dashboard', () => {
  test('comes back as it was sent, from each operation', async () => {
    const dashboard = await created(full)
    const { dashboardId } = dashboard
    expect(dashboardId).toMatch(/^[0-9a-f]{8}$/)
    const head = { id: 1, dashboardId, created_at: '2026-03-01T12:00:00.000Z', keys: [] }
    expect(dashboard).toEqual({ ...full, ...head })
    expect((await read(dashboardId)).json()).toEqual(dashboard)
    expect((await service.api('GET', url)).json()).toEqual([dashboard])
    service.clock.advance(1000)
    const again = await service.api('PUT', `${url}/${dashboardId}`, dashboard)
    expect([again.statusCode, again.json()]).toEqual([200, dashboard])
    const deleted = await service.api('DELETE', `${url}/${dashboardId}`)
    expect([deleted.statusCode, deleted.body]).toEqual([204, ''])
    expect((await read(dashboardId)).statusCode).toBe(404)
    expect((await service.api('PUT', `${url}/${dashboardId}`, full)).statusCode).toBe(404)
    expect((await service.api('DELETE', `${url}/${dashboardId}`)).statusCode).toBe(404)
  })

  test('has the defaults of the specification, also after an update that leaves fields out', async () => {
    const { dashboardId, ...rest } = await created(least)
    const head = { id: 1, created_at: '2026-03-01T12:00:00.000Z', keys: [] }
    expect(rest).toEqual({ ...defaults, ...least, ...head })
    await service.api('PUT', `${url}/${dashboardId}`, full)
    const updated = await service.api('PUT', `${url}/${dashboardId}`, {})
    expect(updated.json()).toEqual({ ...defaults, header: null, dashboardId, ...head })
    expect((await read(dashboardId)).json()).toEqual(updated.json())
  })

  test('is taken with what clients send for nothing; empty addresses are taken by nobody', async () => {
    const sent = {
      ...least,
      id: 0,
      dashboardId: '',
      customDomain: '',
      customUrl: '',
      tags: null,
      width: null,
      keys: null,
    }
    const first = await created(sent)
    expect(first).toMatchObject({ id: 1, customDomain: '', customUrl: '', tags: [], width: 'FULL', keys: [] })
    expect(first.dashboardId).not.toBe('')
    expect(await created(sent)).toMatchObject({ id: 2, customDomain: '', customUrl: '' })
    expect(
      await created({ checksPerPage: null, useTagsAndOperator: null, customCSS: null, link: null }),
    ).toMatchObject({
      checksPerPage: null,
      useTagsAndOperator: null,
      customCSS: null,
      link: null,
    })
  })

  test.each([
    [{ width: 'WIDE' }, '"width" must be one of ["FULL", "960PX"], was "WIDE"'],
    [{ refreshRate: 61 }, '"refreshRate" must be one of [60, 300, 600], was 61'],
    [{ paginationRate: 600 }, '"paginationRate" must be one of [30, 60, 300], was 600'],
    [{ checksPerPage: 0 }, '"checksPerPage" must be 1 or more, was 0'],
    [{ checksPerPage: 21 }, '"checksPerPage" must be 20 or less, was 21'],
    [{ isPrivate: 'yes' }, '"isPrivate" must be a boolean, was "yes"'],
    [{ customUrl: 'a.b' }, '"customUrl" must match ^[A-Za-z0-9-]*$, was "a.b"'],
    [{ customUrl: 'x'.repeat(64) }, '"customUrl" must have at most 63 characters'],
    [
      { customDomain: 'https://a.example' },
      '"customDomain" must match ^[A-Za-z0-9._-]*$, was "https://a.example"',
    ],
    [{ header: 'x'.repeat(501) }, '"header" must have at most 500 characters'],
    [{ tags: 'a' }, '"tags" must be a list, was "a"'],
  ])('is refused with %j, in words that say what is allowed', async (over, message) => {
    const { dashboardId } = await created(least)
    for (const [method, path] of [
      ['POST', url],
      ['PUT', `${url}/${dashboardId}`],
    ] as const) {
      const answer = await service.api(method, path, { ...least, ...over })
      expect([answer.statusCode, answer.json()]).toMatchObject([
        400,
        { message, validation: { source: 'payload', keys: Object.keys(over) } },
      ])
    }
  })

  test('is found by its customUrl and its customDomain where the type says so, whatever their case', async () => {
    const dashboard = await created(full)
    expect((await read('my-shop-1?type=customUrl')).json()).toEqual(dashboard)
    expect((await read('status.example.com?type=customDomain')).json()).toEqual(dashboard)
    for (const path of [
      'My-shop-1',
      'My-shop-1?type=customDomain',
      'status.example.com?type=customUrl',
      `${dashboard.dashboardId}?type=customUrl`,
    ]) {
      expect([path, (await read(path)).statusCode]).toEqual([path, 404])
    }
    expect((await read('x?type=other')).json().validation).toEqual({ source: 'query', keys: ['type'] })
    await service.api('PUT', `${url}/${dashboard.dashboardId}`, { ...full, customUrl: 'another' })
    expect((await read('my-shop-1?type=customUrl')).statusCode).toBe(404)
    expect((await read('another?type=customUrl')).statusCode).toBe(200)
  })

  test.each([
    ['customUrl', 'MY-SHOP-1'],
    ['customDomain', 'status.example.com.'],
  ])(
    'has a %s of its own among all accounts: who wants it too is told to choose another',
    async (field, same) => {
      const { apiKey } = await service.addAccount()
      const headers = { authorization: `Bearer ${apiKey}` }
      await service.app.inject({ method: 'POST', url, headers, payload: full })
      const conflict = [409, `"${field}" "${same}" is taken by a dashboard: choose another`]
      const second = await create({ ...least, [field]: same })
      expect([second.statusCode, second.json().message]).toEqual(conflict)
      const { dashboardId } = await created(least)
      const updated = await service.api('PUT', `${url}/${dashboardId}`, { ...least, [field]: same })
      expect([updated.statusCode, updated.json().message]).toEqual(conflict)
      expect((await service.api('GET', url)).headers['content-range']).toBe('0-0/1')
      await service.app.inject({
        method: 'DELETE',
        url: `${url}/${(await service.app.inject({ url, headers })).json()[0].dashboardId}`,
        headers,
      })
      expect((await create({ ...least, [field]: same })).statusCode).toBe(201)
    },
  )

  test('of another account is not there, in any operation', async () => {
    const { dashboardId } = await created(full)
    const { apiKey } = await service.addAccount()
    const headers = { authorization: `Bearer ${apiKey}` }
    for (const [method, path] of [
      ['GET', dashboardId],
      ['GET', 'My-shop-1?type=customUrl'],
      ['GET', 'status.example.com?type=customDomain'],
      ['PUT', dashboardId],
      ['DELETE', dashboardId],
    ] as const) {
      const payload = method === 'PUT' ? { payload: least } : {}
      const answer = await service.app.inject({ method, url: `${url}/${path}`, headers, ...payload })
      expect([path, answer.statusCode]).toEqual([path, 404])
    }
    expect((await service.app.inject({ url, headers })).json()).toEqual([])
    expect((await read(dashboardId)).json()).toMatchObject(full)
  })
})

describe('a private dashboard', () => {
  const secret = { ...least, isPrivate: true }
  const kept = async () =>
    JSON.stringify(await service.database.kysely.selectFrom('documents').selectAll().execute())

  test('has a key, whole in the answer that makes it and masked ever after', async () => {
    const { dashboardId, keys } = await created(secret)
    expect(keys).toHaveLength(1)
    const [{ id, rawKey, maskedKey, created_at, updated_at }] = keys
    expect(rawKey).toMatch(/^da_[\w-]{32}$/)
    expect([maskedKey, created_at, updated_at]).toEqual([`****${rawKey.slice(-4)}`, '2026-03-01', null])
    const masked = [{ id, rawKey: maskedKey, maskedKey, created_at, updated_at }]
    expect((await read(dashboardId)).json().keys).toEqual(masked)
    expect((await service.api('GET', url)).json()[0].keys).toEqual(masked)
    const again = await service.api('PUT', `${url}/${dashboardId}`, (await read(dashboardId)).json())
    expect(again.json().keys).toEqual(masked)
  })

  test('is kept with a hash of its key, never with the key', async () => {
    const { keys } = await created(secret)
    expect(await kept()).not.toContain(keys[0].rawKey)
    expect(await kept()).toContain(hashKey(keys[0].rawKey))
  })

  test('gets its key when it becomes private, loses it when it no longer is, and then gets another', async () => {
    const { dashboardId, keys } = await created(least)
    expect(keys).toEqual([])
    const put = async (body: object) => (await service.api('PUT', `${url}/${dashboardId}`, body)).json().keys
    const [first] = await put(secret)
    expect(first.rawKey).toMatch(/^da_/)
    expect(await put(least)).toEqual([])
    expect(await kept()).not.toContain(hashKey(first.rawKey))
    const [second] = await put(secret)
    expect(second.rawKey).toMatch(/^da_/)
    expect(second.rawKey).not.toBe(first.rawKey)
  })
})

test('a list of dashboards has pages, newest first, with a content-range; past the end it is empty', async () => {
  for (let n = 1; n <= 11; n += 1) {
    await create({ header: `${n}` })
    service.clock.advance(1)
  }
  const page = async (query: string) => {
    const answer = await service.api('GET', `${url}${query}`)
    return [answer.headers['content-range'], answer.json().map(({ id }: { id: number }) => id)]
  }
  expect(await page('')).toEqual(['0-9/11', [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]])
  expect(await page('?limit=4&page=3')).toEqual(['8-10/11', [3, 2, 1]])
  expect(await page('?page=3')).toEqual(['*/11', []])
})

describe.skipIf(!contractIsHere)(`its answers are of the contract's shape${skippedWithoutContract}`, () => {
  const one = '/v1/dashboards/{dashboardId}'
  const none = `${url}/none`
  test.each([
    ['POST', '/v1/dashboards', url, 201, least],
    ['POST', '/v1/dashboards', url, 201, { ...least, isPrivate: true }],
    ['POST', '/v1/dashboards', url, 409, full],
    ['GET', '/v1/dashboards', url, 200, undefined],
    ['GET', one, `${url}/:id`, 200, undefined],
    ['GET', one, none, 404, undefined],
    ['PUT', one, `${url}/:id`, 200, { isPrivate: true }],
    ['PUT', one, none, 404, least],
    ['DELETE', one, `${url}/:id`, 204, undefined],
  ] as const)('%s %s (%s → %i)', async (method, route, path, status, payload) => {
    const { dashboardId } = await created(full)
    const answer = await service.api(method, path.replace(':id', dashboardId), payload)
    expect(answer.statusCode, answer.body).toBe(status)
    const body: unknown = answer.body === '' ? undefined : answer.json()
    expect(contractFaults(method, route, status, body)).toEqual([])
  })
})
