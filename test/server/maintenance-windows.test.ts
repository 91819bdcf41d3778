import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { contractFaults, contractIsHere, skippedWithoutContract } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const url = '/v1/maintenance-windows'
const window = {
  name: 'nightly backup',
  tags: ['db', 'a', 'db'],
  startsAt: '2026-03-01T22:00:00.000Z',
  endsAt: '2026-03-02T02:00:00.000Z',
  repeatInterval: 2,
  repeatUnit: 'WEEK',
  repeatEndsAt: '2026-12-31T00:00:00.000Z',
}
const least = { name: 'w', startsAt: '2026-03-01', endsAt: '2026-03-02', repeatUnit: 'DAY' }
const create = (body: object) => service.api('POST', url, body)
const without = (body: Record<string, unknown>, key: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== key))

describe('a maintenance window', () => {
  test('comes back as it was sent, from each operation', async () => {
    const created = await create(window)
    const stored = { ...window, id: 1, created_at: '2026-03-01', updated_at: null }
    expect([created.statusCode, created.json()]).toEqual([201, stored])
    expect((await service.api('GET', `${url}/1`)).json()).toEqual(stored)
    expect((await service.api('GET', url)).json()).toEqual([stored])
    service.clock.advance(24 * 3_600_000)
    const again = await service.api('PUT', `${url}/1`, stored)
    expect([again.statusCode, again.json()]).toEqual([200, { ...stored, updated_at: '2026-03-02' }])
    const deleted = await service.api('DELETE', `${url}/1`)
    expect([deleted.statusCode, deleted.body]).toEqual([204, ''])
    for (const method of ['GET', 'DELETE'] as const) {
      expect((await service.api(method, `${url}/1`)).statusCode).toBe(404)
    }
    expect((await service.api('PUT', `${url}/1`, window)).statusCode).toBe(404)
  })

  test('is replaced by an update: what is left out takes its default', async () => {
    await create(window)
    const updated = await service.api('PUT', `${url}/1`, least)
    const defaults = { tags: [], repeatInterval: null, repeatEndsAt: null }
    expect(updated.json()).toEqual({
      ...least,
      ...defaults,
      id: 1,
      created_at: '2026-03-01',
      updated_at: '2026-03-01',
    })
    expect((await service.api('GET', `${url}/1`)).json()).toEqual(updated.json())
  })

  test('is taken with what clients send for nothing: ids, empty texts, nulls, unknown keys', async () => {
    const sent = { ...least, id: 0, tags: null, repeatUnit: '', repeatEndsAt: '', created_at: '', extra: {} }
    const created = await create(sent)
    expect([created.statusCode, created.json()]).toMatchObject([
      201,
      { id: 1, tags: [], repeatUnit: '', repeatEndsAt: null, repeatInterval: null },
    ])
    expect((await create({ ...window, repeatEndsAt: '0001-01-01T00:00:00Z' })).statusCode).toBe(201)
    expect((await create({ ...window, repeatEndsAt: window.startsAt })).statusCode).toBe(201)
  })

  test.each(['name', 'startsAt', 'endsAt', 'repeatUnit'])('needs %s', async (key) => {
    const answer = await create(without(least, key))
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({
      message: `"${key}" is required`,
      validation: { source: 'payload', keys: [key] },
    })
  })

  test.each([
    [{ name: '' }, '"name" must not be empty'],
    [{ name: 'x'.repeat(256) }, '"name" must have at most 255 characters'],
    [{ repeatInterval: 0 }, '"repeatInterval" must be 1 or more, was 0'],
    [{ repeatInterval: 1.5 }, '"repeatInterval" must be a whole number, was 1.5'],
    [{ repeatInterval: 10_001 }, '"repeatInterval" must be 10000 or less, was 10001'],
    [{ repeatUnit: 'YEAR' }, '"repeatUnit" must be one of ["DAY", "WEEK", "MONTH", ""], was "YEAR"'],
    [{ startsAt: 'tomorrow' }, '"startsAt" must be a date-time of ISO 8601, was "tomorrow"'],
    [{ repeatEndsAt: 'never' }, '"repeatEndsAt" must be a date-time of ISO 8601, was "never"'],
    [{ endsAt: '2026-03-01' }, '"endsAt" must be after "startsAt" (2026-03-01), was 2026-03-01'],
    [
      { endsAt: '2026-03-01T01:00:00+02:00' },
      '"endsAt" must be after "startsAt" (2026-03-01), was 2026-03-01T01:00:00+02:00',
    ],
    [
      { repeatInterval: 1, repeatUnit: '' },
      '"repeatUnit" must be one of ["DAY", "WEEK", "MONTH"] when "repeatInterval" is given',
    ],
    [
      { repeatEndsAt: '2026-02-28' },
      '"repeatEndsAt" must not be before "startsAt" (2026-03-01), was 2026-02-28',
    ],
    [{ tags: Array.from({ length: 101 }, String) }, '"tags" must have at most 100 items'],
  ])('is refused with %j, in words that say what is allowed', async (over, message) => {
    await create(least)
    for (const [method, path] of [
      ['POST', url],
      ['PUT', `${url}/1`],
    ] as const) {
      const answer = await service.api(method, path, { ...least, ...over })
      expect([answer.statusCode, answer.json().message]).toEqual([400, message])
    }
  })

  test('of another account is not there, in any operation', async () => {
    await create(window)
    const { apiKey } = await service.addAccount()
    const headers = { authorization: `Bearer ${apiKey}` }
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const payload = method === 'PUT' ? { payload: least } : {}
      const answer = await service.app.inject({ method, url: `${url}/1`, headers, ...payload })
      expect([method, answer.statusCode]).toEqual([method, 404])
    }
    expect((await service.app.inject({ url, headers })).json()).toEqual([])
    expect((await service.api('GET', `${url}/1`)).json()).toMatchObject(window)
  })

  test('is one of at most 500: the next one answers 409 and says what to do', async () => {
    const definition = JSON.stringify({ ...least, tags: [], repeatInterval: null, repeatEndsAt: null })
    const rows = Array.from({ length: 499 }, (_, n) => ({
      kind: 'maintenance-window' as const,
      id: `${1000 + n}`,
      accountId: service.accountId,
      parentId: null,
      definition,
      createdAt: n,
      updatedAt: null,
    }))
    await service.database.kysely.insertInto('documents').values(rows).execute()
    expect((await create(least)).statusCode).toBe(201)
    const answer = await create(least)
    expect([answer.statusCode, answer.json().message]).toEqual([
      409,
      'There are at most 500 of this kind (maintenance window): delete one first',
    ])
  })
})

describe('a list of maintenance windows', () => {
  const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']
  beforeEach(async () => {
    for (const startsAt of days) {
      await create({ ...least, name: startsAt, startsAt, endsAt: `${startsAt}T12:00:00Z` })
      service.clock.advance(1)
    }
  })
  const names = async (query: string) => {
    const answer = await service.api('GET', `${url}?${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json().map(({ name }: { name: string }) => name)
  }

  test('has pages, newest first, with a content-range; past the end it is empty', async () => {
    const first = await service.api('GET', `${url}?limit=3`)
    expect(first.headers['content-range']).toBe('0-2/4')
    expect(await names('limit=3')).toEqual(days.toReversed().slice(0, 3))
    const rest = await service.api('GET', `${url}?limit=3&page=2`)
    expect(rest.headers['content-range']).toBe('3-3/4')
    expect(await names('limit=3&page=2')).toEqual(days.slice(0, 1))
    expect(await names('page=2')).toEqual([])
  })

  test.each([
    ['startsAt[gt]=2026-03-02', ['2026-03-04', '2026-03-03']],
    ['startsAt[gte]=2026-03-03', ['2026-03-04', '2026-03-03']],
    ['startsAt[lt]=2026-03-02', ['2026-03-01']],
    ['startsAt[lte]=2026-03-02T00:00:00.000Z', ['2026-03-02', '2026-03-01']],
    ['startsAt.gte=2026-03-04', ['2026-03-04']],
    ['startsAt%5Bgte%5D=2026-03-04', ['2026-03-04']],
    [`startsAt=${encodeURIComponent('{"gte":"2026-03-04"}')}`, ['2026-03-04']],
    ['startsAt[gt]=2026-03-01&startsAt[lt]=2026-03-03', ['2026-03-02']],
    ['endsAt[gt]=2026-03-03T12:00:00Z', ['2026-03-04']],
    ['endsAt[gte]=2026-03-03T12:00:00Z&startsAt[lt]=2026-03-04', ['2026-03-03']],
    ['endsAt[lt]=2026-01-01', []],
    ['startsAt[foo]=2026-03-04&foo=1', days.toReversed()],
  ])('is filtered by %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  test('counts and pages what the filter leaves', async () => {
    const answer = await service.api('GET', `${url}?startsAt[gt]=2026-03-01&limit=2`)
    expect(answer.headers['content-range']).toBe('0-1/3')
  })

  test.each([
    ['startsAt[gt]=soon', ['startsAt.gt']],
    ['startsAt=2026-03-01', ['startsAt']],
    ['endsAt={bad', ['endsAt']],
    ['limit=101', ['limit']],
    ['page=0', ['page']],
  ])('is refused with %s', async (query, keys) => {
    const answer = await service.api('GET', `${url}?${query}`)
    expect([answer.statusCode, answer.json().validation]).toEqual([400, { source: 'query', keys }])
  })
})

describe.skipIf(!contractIsHere)(`its answers are of the contract's shape${skippedWithoutContract}`, () => {
  const one = '/v1/maintenance-windows/{id}'
  test.each([
    ['POST', '/v1/maintenance-windows', url, 201, window],
    ['POST', '/v1/maintenance-windows', url, 201, least],
    ['GET', '/v1/maintenance-windows', url, 200, undefined],
    ['GET', one, `${url}/1`, 200, undefined],
    ['PUT', one, `${url}/1`, 200, least],
    ['DELETE', one, `${url}/1`, 204, undefined],
    ['GET', one, `${url}/9`, 404, undefined],
    ['PUT', one, `${url}/9`, 404, least],
    ['DELETE', one, `${url}/9`, 404, undefined],
  ] as const)('%s %s (%s → %i)', async (method, route, path, status, payload) => {
    // The contract calls these dates; they come back as they were sent.
    await create({ ...window, startsAt: '2026-03-01', endsAt: '2026-03-02', repeatEndsAt: '2026-04-01' })
    const dates = payload && { ...payload, startsAt: '2026-03-01', endsAt: '2026-03-02', repeatEndsAt: null }
    const answer = await service.api(method, path, dates)
    expect(answer.statusCode, answer.body).toBe(status)
    const body: unknown = answer.body === '' ? undefined : answer.json()
    expect(contractFaults(method, route, status, body)).toEqual([])
  })
})
