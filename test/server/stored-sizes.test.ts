import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { addService, cardOf, pageBody, pagesUrl } from '../support/status-pages.ts'
import { addCheck } from '../support/storage-rows.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let api: TestService['api']
beforeEach(async () => {
  service = await startTestService()
  api = service.api
})
afterEach(() => service.close())

const kib = (count: number) => 'x'.repeat(count * 1024)
const checkOf = (body: string) => apiCheckBody({ request: { url: 'https://a.example', body } })
const scripted = (script: string) => ({
  name: 'n',
  checkType: 'MULTI_STEP',
  script,
  locations: ['eu-west-1'],
})
const rows = (count: number) =>
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`

/** Checks that are alike. */
async function haveChecks(count: number): Promise<void> {
  const { id } = (await api('POST', '/v1/checks/api', apiCheckBody())).json()
  const columns = sql`account_id, type, name, activated, version, definition, interval_ms, phase_ms, created_at`
  await sql`insert into checks (id, ${columns}) select id || i, ${columns} from checks,
    (${rows(count - 1)} select i from n) where id = ${id}`.execute(service.database.kysely)
}

describe('what one resource holds is bounded', () => {
  test.each([
    ['check', '/v1/checks', (body: string) => ({ checkType: 'API', ...checkOf(body) })],
    ['snippet', '/v1/snippets', (text: string) => ({ name: 'n', script: 'ä'.repeat(text.length / 2) })],
    ['check group', '/v1/check-groups', (text: string) => ({ name: 'n', localSetupScript: text })],
  ])('a %s', async (what, path, bodyOf) => {
    const created = await api('POST', path, bodyOf(kib(250)))
    expect(created.statusCode, created.body.slice(0, 200)).toBe(201)
    const message = new RegExp(`A ${what} holds at most 256 KiB in all, and this one would hold 2[56]\\d: `)
    const one = `${path}/${created.json().id}`
    for (const refused of [
      await api('POST', path, bodyOf(kib(257))),
      await api('PUT', one, bodyOf(kib(257))),
    ])
      expect([refused.statusCode, refused.json().message]).toEqual([413, expect.stringMatching(message)])
    expect((await api('GET', one)).body).toBe(created.body)
  })

  test('a check that is a script comes with all that it imports', async () => {
    expect((await api('POST', '/v1/checks', scripted(kib(1000)))).statusCode).toBe(201)
    expect((await api('POST', '/v1/checks', scripted(kib(1024)))).statusCode).toBe(413)
  })
})

describe('what one account has is bounded', () => {
  test('checks', async () => {
    await haveChecks(49_999)
    expect((await api('POST', '/v1/checks/api', apiCheckBody())).statusCode).toBe(201)
    const refused = await api('POST', '/v1/checks/api', apiCheckBody())
    expect([refused.statusCode, refused.json().message]).toEqual([
      409,
      'There are at most 50000 of this kind (check): delete one first',
    ])
  })
})

describe('a list', () => {
  const oneList = '/v1/checks?limit=100'

  test('of a hundred checks as large as they may be is answered', async () => {
    const definition = JSON.stringify(checkOf(kib(255)))
    for (let n = 0; n < 100; n += 1) await addCheck(service.database, service.accountId, { definition })
    const answer = await api('GET', oneList)
    expect([answer.statusCode, answer.json().length]).toEqual([200, 100])
  })

  test('of checks that nobody wants at once says how to ask for them', async () => {
    const changes = { type: 'MULTI_STEP', definition: JSON.stringify(scripted(kib(1000))) }
    for (let n = 0; n < 66; n += 1) await addCheck(service.database, service.accountId, changes)
    const answer = await api('GET', oneList)
    expect([answer.statusCode, answer.json().validation]).toEqual([400, { source: 'query', keys: ['limit'] }])
    expect(answer.json().message).toBe('"limit" asks for more than 64 MiB of checks: ask for fewer at a time')
    expect((await api('GET', '/v1/checks?limit=10')).json()).toHaveLength(10)
  })

  test('of channels with more subscriptions than anybody wants at once says how to ask for them', async () => {
    const body = { type: 'EMAIL', config: { address: 'a@b.example' } }
    for (let n = 0; n < 6; n += 1) await api('POST', '/v1/alert-channels', body)
    await haveChecks(50_000)
    await sql`insert into alert_channel_subscriptions (id, channel_id, check_id, activated, position, channel_position)
      select row_number() over (), documents.id, checks.id, 1, 1, 1 from documents, checks`.execute(
      service.database.kysely,
    )
    const answer = await api('GET', '/v1/alert-channels')
    expect([answer.statusCode, answer.json().validation]).toEqual([400, { source: 'query', keys: ['limit'] }])
    expect((await api('GET', '/v1/alert-channels?limit=1')).json()[0].subscriptions).toHaveLength(50_000)
  })

  test('of large status pages ends early, and the next one begins there', async () => {
    const shown = await addService(api, 's'.repeat(255))
    const cards = Array.from({ length: 50 }, () => cardOf('c', ...Array(50).fill(shown)))
    for (let n = 0; n < 12; n += 1)
      expect((await api('POST', pagesUrl, pageBody({ url: `p${n}`, cards }))).statusCode).toBe(201)
    const seen: string[] = []
    let nextId: string | null = ''
    const lengths: number[] = []
    while (nextId !== null) {
      const answer = await api('GET', `${pagesUrl}?limit=100&nextId=${nextId}`)
      expect(answer.body.length).toBeLessThan(9 * 1024 * 1024)
      const list: { length: number; entries: { url: string }[]; nextId: string | null } = answer.json()
      lengths.push(list.length)
      seen.push(...list.entries.map(({ url }) => url))
      nextId = list.nextId
    }
    expect(lengths.length).toBeGreaterThan(1)
    expect(seen.toSorted()).toEqual(Array.from({ length: 12 }, (_, n) => `p${n}`).toSorted())
  })
})
