import { expect, test } from 'vitest'
import { hashId, newId } from '../../src/lib/ids.ts'
import { deleteCheck } from '../../src/storage/checks.ts'
import {
  addErrorEvent,
  archiveErrorGroup,
  type ErrorEvent,
  findErrorGroup,
  listErrorGroups,
} from '../../src/storage/error-groups.ts'
import { forEachEngine } from '../support/databases.ts'
import { plansOf } from '../support/query-plans.ts'
import { addAccount, addCheck, t0 } from '../support/storage-rows.ts'

function event(accountId: string, checkId: string | null, changes: Partial<ErrorEvent> = {}): ErrorEvent {
  const { cleanedErrorMessage = 'broken' } = changes
  return {
    id: hashId(checkId ?? accountId, cleanedErrorMessage),
    accountId,
    scope: checkId === null ? 'test' : 'check',
    checkId,
    errorHash: 'hash',
    rawErrorMessage: cleanedErrorMessage,
    cleanedErrorMessage,
    environments: '[]',
    at: t0,
    ...changes,
  }
}

forEachEngine((engine, open) => {
  async function withCheck() {
    const database = await open()
    const accountId = await addAccount(database)
    const { id: checkId } = await addCheck(database, accountId)
    const add = (changes: Partial<ErrorEvent> = {}) =>
      database.transaction((db) => addErrorEvent(db, event(accountId, checkId, changes)))
    const list = (limit = 100, offset = 0) =>
      listErrorGroups(database.kysely, { accountId, scope: 'check', checkId }, { offset, limit })
    return { database, accountId, checkId, add, list }
  }

  test('counts what is alike as one group, which shows the newest', async () => {
    const { add, list } = await withCheck()
    await add({ rawErrorMessage: 'first' })
    await add({ at: t0 + 20, rawErrorMessage: 'newest' })
    await add({ at: t0 - 10, rawErrorMessage: 'late' })
    expect((await list()).rows).toMatchObject([
      { events: 3, firstSeen: t0 - 10, lastSeen: t0 + 20, rawErrorMessage: 'newest' },
    ])
  })

  test('loses none of those that come at once', async () => {
    const { add, list } = await withCheck()
    await Promise.all(Array.from({ length: 8 }, (_, index) => add({ at: t0 + index })))
    expect((await list()).rows).toMatchObject([{ events: 8, firstSeen: t0, lastSeen: t0 + 7 }])
  })

  test('ends an archiving with a newer event, not with a late one, nor one for ever', async () => {
    const { database, accountId, add, list } = await withCheck()
    const archived = async () => {
      const { rows } = await list()
      return [rows[0]?.archivedUntilNextEvent, rows[0]?.archivedForEver]
    }
    await add()
    const [group] = (await list()).rows
    const id = group?.id ?? ''
    await archiveErrorGroup(database.kysely, id, { archivedUntilNextEvent: 1 })
    await add({ at: t0 - 1 })
    expect(await archived()).toEqual([1, 0])
    await add({ at: t0 + 1 })
    expect(await archived()).toEqual([0, 0])
    await archiveErrorGroup(database.kysely, id, { archivedForEver: 1 })
    await archiveErrorGroup(database.kysely, id, {})
    await add({ at: t0 + 2 })
    expect(await archived()).toEqual([0, 1])
    expect(await findErrorGroup(database.kysely, accountId, 'test', id)).toBeUndefined()
  })

  test('lists the last seen first, in pages', async () => {
    const { add, list } = await withCheck()
    for (const [index, cleanedErrorMessage] of ['a', 'b', 'c'].entries())
      await add({ cleanedErrorMessage, at: t0 + index })
    const messages = async (limit: number, offset: number) =>
      (await list(limit, offset)).rows.map((row) => row.cleanedErrorMessage)
    expect(await messages(2, 0)).toEqual(['c', 'b'])
    expect(await messages(2, 2)).toEqual(['a'])
    expect((await list(1)).total).toBe(3)
  })

  test('keeps the 500 last seen of a check, and none of a check that is gone', async () => {
    const { database, accountId, checkId, add, list } = await withCheck()
    for (let n = 0; n < 502; n += 1) await add({ cleanedErrorMessage: `m${n}`, at: t0 + n })
    const { rows, total } = await list(1000)
    expect([total, rows.at(-1)?.cleanedErrorMessage]).toEqual([500, 'm2'])
    await deleteCheck(database.kysely, accountId, checkId)
    expect((await list()).total).toBe(0)
  })

  test('knows in which environments a test failed', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const id = newId()
    for (const environments of ['["staging"]', '[]', '["production","staging"]'])
      await database.transaction((db) => addErrorEvent(db, event(accountId, null, { id, environments })))
    const group = await findErrorGroup(database.kysely, accountId, 'test', id)
    expect(group?.environments).toBe('["staging","production"]')
  })

  test('finds the groups of an account and of a check by an index', async () => {
    const database = await open()
    const ours = { accountId: 'a', scope: 'check' } as const
    const page = { offset: 0, limit: 10 }
    const [, ofAccount] = await plansOf(database, (db) => listErrorGroups(db, ours, page))
    expect(ofAccount).toContain('error_groups_newest')
    const [, ofCheck] = await plansOf(database, (db) => listErrorGroups(db, { ...ours, checkId: 'c' }, page))
    expect(ofCheck, engine).toMatch(/error_groups_(of_check|newest)/)
  })
})
