import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  conforming,
  faultyFields,
  noId,
  otherApi,
  pageBody,
  pagesUrl,
  successful,
} from '../support/status-pages.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let api: TestService['api']
let pageId: string
let url: string
beforeEach(async () => {
  service = await startTestService()
  api = service.api
  pageId = (await api('POST', pagesUrl, pageBody())).json().id
  url = `${pagesUrl}/${pageId}/subscriptions`
})
afterEach(() => service.close())

const route = `${pagesUrl}/{statusPageId}/subscriptions`
const bulk = (addresses: readonly unknown[], path = url, by = api) =>
  by('POST', `${path}/bulk`, { subscriptions: addresses.map((config) => ({ type: 'EMAIL', config })) })
const list = async (path = url) => successful(await api('GET', path), 200)
const addressesOf = async (path = url) =>
  (await list(path)).map(({ address }: { address: string }) => address).toSorted()

describe('subscriptions of a status page', () => {
  test('are made in bulk, listed and deleted', async () => {
    const made = conforming(`${route}/bulk`, await bulk(['Ada@Example.org', 'b+c@example.org']), 201)
    expect(made).toEqual({ created: 2, skipped: 0, status: 'VERIFIED' })
    const subscriptions = conforming(route, await api('GET', url), 200)
    expect(subscriptions).toHaveLength(2)
    expect(subscriptions).toContainEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'EMAIL',
      address: 'Ada@Example.org',
      status: 'VERIFIED',
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
    })
    successful(await api('DELETE', `${url}/${subscriptions[0].id}`), 204)
    expect(await list()).toEqual([subscriptions[1]])
    expect((await api('DELETE', `${url}/${subscriptions[0].id}`)).statusCode).toBe(404)
  })

  test('are one for each address, in whichever case, and page', async () => {
    await bulk(['a@example.org', 'b@example.org'])
    const again = await bulk(['A@example.org', 'c@example.org', 'C@EXAMPLE.org', 'b@example.org'])
    expect(successful(again, 201)).toEqual({ created: 1, skipped: 3, status: 'VERIFIED' })
    expect(await addressesOf()).toEqual(['a@example.org', 'b@example.org', 'c@example.org'])
    const other = `${pagesUrl}/${(await api('POST', pagesUrl, pageBody())).json().id}/subscriptions`
    expect(successful(await bulk(['a@example.org'], other), 201)).toMatchObject({ created: 1 })
    expect(await addressesOf(other)).toEqual(['a@example.org'])
  })

  test('of an address that was deleted can be made again', async () => {
    await bulk(['a@example.org'])
    await api('DELETE', `${url}/${(await list())[0].id}`)
    expect(successful(await bulk(['a@example.org']), 201)).toMatchObject({ created: 1, skipped: 0 })
  })

  test('are made once when two ask at once', async () => {
    const addresses = Array.from({ length: 50 }, (_, n) => `${n}@example.org`)
    const answers = await Promise.all([bulk(addresses), bulk(addresses)])
    const created = answers.map((answer) => successful(answer, 201).created)
    expect(created.toSorted()).toEqual([0, 50])
    expect(await list()).toHaveLength(50)
  })

  test.each([
    '',
    'a',
    'a@',
    '@example.org',
    'a@b@example.org',
    'a b@example.org',
    'a@example.org\r\nBcc: x@example.org',
    'A <a@example.org>',
    'a@example.org,b@example.org',
    'a\u0007@example.org',
    `${'x'.repeat(65)}@example.org`,
  ])('need an e-mail address, and %j is none: nobody is subscribed', async (address) => {
    const answer = await bulk(['a@example.org', address])
    expect(faultyFields(answer)).toEqual(['subscriptions[1].config'])
    expect(answer.json().message).toContain('"subscriptions[1].config" must be an e-mail address')
    expect(await list()).toEqual([])
  })

  test.each([
    [{}, ['subscriptions']],
    [{ subscriptions: [] }, ['subscriptions']],
    [
      { subscriptions: Array.from({ length: 101 }, () => ({ type: 'EMAIL', config: 'a@b.c' })) },
      ['subscriptions'],
    ],
    [{ subscriptions: [{ type: 'SMS', config: 'a@b.c' }] }, ['subscriptions[0].type']],
    [{ subscriptions: [{ type: 'EMAIL' }] }, ['subscriptions[0].config']],
    [{ subscriptions: [{ type: 'EMAIL', config: `a@${'x'.repeat(253)}` }] }, ['subscriptions[0].config']],
  ])('are refused when %j is asked for', async (body, fields) => {
    expect(faultyFields(await api('POST', `${url}/bulk`, body))).toEqual(fields)
  })

  test('are at most 5,000: those over it answer 409, and none of them is made', async () => {
    const { database, accountId } = service
    const row = (n: number) => ({
      kind: 'status-page-subscription' as const,
      id: `${n}`,
      accountId,
      parentId: pageId,
      definition: '{"address":"a@b.c"}',
      createdAt: 1,
      updatedAt: null,
    })
    for (let n = 0; n < 4999; n += 1000) {
      const rows = Array.from({ length: Math.min(1000, 4999 - n) }, (_, k) => row(n + k))
      await database.kysely.insertInto('documents').values(rows).execute()
    }
    const answer = await bulk(['x@example.org', 'y@example.org'])
    expect([answer.statusCode, answer.json().message]).toEqual([
      409,
      'A status page has at most 5000 subscriptions: delete some first',
    ])
    expect(successful(await bulk(['x@example.org']), 201)).toMatchObject({ created: 1 })
    expect(successful(await bulk(['x@example.org']), 201)).toMatchObject({ created: 0, skipped: 1 })
    expect(await list()).toHaveLength(5000)
  })

  test('go with their page', async () => {
    await bulk(['a@example.org'])
    await api('DELETE', `${pagesUrl}/${pageId}`)
    expect((await api('GET', url)).statusCode).toBe(404)
    const rows = await service.database.kysely.selectFrom('documents').selectAll().execute()
    const keys = await service.database.kysely.selectFrom('documentKeys').selectAll().execute()
    expect([rows, keys]).toEqual([[], []])
  })

  test('are out of reach of another account, and through another page', async () => {
    await bulk(['a@example.org'])
    const [{ id }] = await list()
    const theirs = await otherApi(service)
    const their = (await theirs('POST', pagesUrl, pageBody())).json().id
    const answers = [
      await theirs('GET', url),
      await bulk(['b@example.org'], url, theirs),
      await theirs('DELETE', `${url}/${id}`),
      await theirs('DELETE', `${pagesUrl}/${their}/subscriptions/${id}`),
      await api('GET', `${pagesUrl}/${noId}/subscriptions`),
      await bulk(['b@example.org'], `${pagesUrl}/${noId}/subscriptions`),
      await api('DELETE', `${pagesUrl}/${noId}/subscriptions/${id}`),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 404))
    expect(await addressesOf()).toEqual(['a@example.org'])
  })
})
