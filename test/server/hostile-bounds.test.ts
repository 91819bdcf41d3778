import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { batchesOf } from '../../src/storage/batches.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService({ publicOrigin: 'https://picket.example' })
})
afterEach(() => service.close())

/** The last millisecond that is told in four digits of a year. */
const lastInstant = '253402300799999'

describe('a range of thousands of years', () => {
  test.each([
    `from=1&to=${lastInstant}`,
    `from=0001-01-01&to=9999-12-31T23:59:59Z`,
    `from=1&to=${lastInstant}&aggregationInterval=1`,
    `from=1&to=${lastInstant}&aggregationInterval=43200&limit=100&page=1000000`,
    `from=${lastInstant}`,
    'to=0',
  ])('is looked through as fast as what is in it: %s', async (range) => {
    const { id } = (await service.api('POST', '/v1/checks/api', apiCheckBody())).json()
    const analytics = await service.api('GET', `/v1/analytics/api-checks/${id}?metrics=availability&${range}`)
    expect([analytics.statusCode, analytics.json().series]).toEqual([200, []])
    const report = await service.api('GET', `/v1/reporting?${range}`)
    expect([report.statusCode, report.json().length]).toEqual([200, 1])
  })

  test.each(['9999999999999999', '8640000000000001', '253402300800000'])(
    'ends with the year 9999: not with %s',
    async (instant) => {
      const { id } = (await service.api('POST', '/v1/checks/api', apiCheckBody())).json()
      for (const name of ['from', 'to']) {
        for (const path of [
          `/v1/analytics/api-checks/${id}?metrics=availability&`,
          '/v1/reporting?',
          '/v1/check-alerts?',
        ]) {
          const answer = await service.api('GET', `${path}${name}=${instant}`)
          expect([path, answer.statusCode, answer.json().validation]).toEqual([
            path,
            400,
            { source: 'query', keys: [name] },
          ])
        }
      }
    },
  )
})

test('an answer names some faults of a body and counts the others', async () => {
  const subscriptions = Array.from({ length: 10_000 }, (_, index) => ({
    checkId: `${'x'.repeat(90)}${index}`,
  }))
  const body = { type: 'EMAIL', config: { address: 'a@b.example' }, subscriptions }
  const answer = await service.api('POST', '/v1/alert-channels', body)
  expect([answer.statusCode, answer.json().validation.keys.length]).toEqual([400, 20])
  expect(answer.json().message).toMatch(/; and 9980 more$/)
})

describe('the browserCheckDefaults of a group', () => {
  const post = (json: string) =>
    service.app.inject({
      method: 'POST',
      url: '/v2/check-groups',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      payload: `{"name":"g","browserCheckDefaults":${json}}`,
    })

  test.each(['"x"', 'null', '{"a":[{"b":1}]}', `${'['.repeat(20)}${']'.repeat(20)}`])(
    'come back as they were sent: %s',
    async (json) => {
      const created = await post(json)
      expect(created.statusCode, created.body).toBe(201)
      const read = await service.api('GET', `/v2/check-groups/${created.json().id}`.replace('v2', 'v1'))
      expect(JSON.stringify(read.json().browserCheckDefaults ?? null)).toBe(json)
    },
  )

  test.each([
    ['lists in lists', `${'['.repeat(60)}${']'.repeat(60)}`],
    ['objects in objects', `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`],
    ['one level too many', `${'['.repeat(22)}${']'.repeat(22)}`],
    ['a long text', JSON.stringify('x'.repeat(70_000))],
    ['a long list', JSON.stringify(Array(70_000).fill(0))],
  ])('are bounded: %s', async (_what, json) => {
    const answer = await post(json)
    expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, ['browserCheckDefaults']])
  })
})

test.each(['headers', 'queryParameters'])(
  'the %s of a channel, which all its checks tell, are bounded',
  async (field) => {
    const pair = { key: 'k', value: 'v'.repeat(20_000) }
    const body = { type: 'WEBHOOK', config: { url: 'https://hook.example', [field]: [pair] } }
    const answer = await service.api('POST', '/v1/alert-channels', body)
    expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [`config.${field}`]])
  },
)

test('an account has room for a thousand private locations, and hears what to do then', async () => {
  const { database, accountId } = service
  const row = { accountId, name: 'n', icon: '', proxyUrl: null, createdAt: 0, updatedAt: null }
  const rows = Array.from({ length: 999 }, (_, index) => ({
    ...row,
    id: newId(),
    slugName: `place-${index}`,
  }))
  for (const batch of batchesOf(rows))
    await database.kysely.insertInto('privateLocations').values(batch).execute()
  const last = await service.api('POST', '/v1/private-locations', { name: 'n', slugName: 'last' })
  expect(last.statusCode, last.body).toBe(201)
  const more = await service.api('POST', '/v1/private-locations', { name: 'n', slugName: 'more' })
  expect([more.statusCode, more.json().message]).toEqual([
    409,
    'There are at most 1000 of this kind (private location): delete one first',
  ])
})

test('a private location that another deletion took is not there to be deleted', async () => {
  const { id } = (await service.api('POST', '/v1/private-locations', { name: 'n', slugName: 'n' })).json()
  const deletions = Array.from({ length: 4 }, () => service.api('DELETE', `/v1/private-locations/${id}`))
  const statuses = (await Promise.all(deletions)).map(({ statusCode }) => statusCode)
  expect(statuses.toSorted()).toEqual([204, 404, 404, 404])
})
