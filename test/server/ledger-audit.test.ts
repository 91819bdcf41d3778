import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { type LedgerService, startLedgerService } from '../support/ledger-service.ts'

let database: Database
let service: LedgerService
beforeEach(async () => {
  database = await openDatabase('sqlite::memory:')
  await migrate(database)
  service = await startLedgerService(database)
})
afterEach(() => database.close())

const get = async (query: string) => service.api('GET', `/v1/ledger/audit?${query}`)

test('tells what became of every slot of the account, and of no other account', async () => {
  const checkId = await service.createCheck()
  const other = await service.addAccount()
  await service.planFor(60)
  const lost = await database.kysely
    .selectFrom('checkRuns')
    .selectAll()
    .orderBy('dueAt')
    .executeTakeFirstOrThrow()
  await database.kysely.deleteFrom('checkRuns').where('id', '=', lost.id).execute()
  const answer = await get(`from=${service.startedAt}`)
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.json()).toEqual({
    from: '2026-03-01T12:00:00.000Z',
    to: '2026-03-01T12:01:00.000Z',
    sound: false,
    checks: 1,
    expected: 6,
    passed: 0,
    degraded: 0,
    failed: 0,
    errored: 0,
    missed: {},
    open: 5,
    unplanned: 0,
    gaps: {
      count: 1,
      slots: [{ checkId, location: 'eu-west-1', dueAt: new Date(lost.dueAt).toISOString() }],
    },
    duplicates: { count: 0, slots: [] },
    beyond: 0,
    ofDeletedChecks: 0,
  })
  const foreign = await service.app.inject({
    url: `/v1/ledger/audit?from=${service.startedAt}`,
    headers: { authorization: `Bearer ${other.apiKey}` },
  })
  expect(foreign.json()).toMatchObject({ sound: true, checks: 0, expected: 0 })
})

test.each([
  ['', '"from" is required'],
  ['from=yesterday', '"from" must be a UNIX timestamp'],
  ['from=2026-02-15T11:59:59Z', '"from" must be less than 14 days in the past'],
  ['from=2026-03-02', '"from" must be before "to"'],
  ['from=2026-03-01&to=soon', '"to" must be a UNIX timestamp'],
])('a range like %j is refused with what is allowed', async (query, text) => {
  const answer = await get(query)
  expect(answer.statusCode).toBe(400)
  expect(answer.json().message).toContain(text)
})

test('a range of more slots than one request may ask for is refused', async () => {
  const locations = ['eu-west-1', 'eu-central-1', 'us-east-1', 'us-west-1', 'ap-south-1']
  for (let n = 0; n < 5; n += 1) await service.createCheck({ locations, runParallel: true })
  service.clock.advance(13 * 24 * 60 * 60_000)
  const answer = await get(`from=${service.startedAt}`)
  expect(answer.statusCode).toBe(400)
  expect(answer.json().message).toContain('further apart than 2000000 slots')
})
