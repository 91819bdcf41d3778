import { expect, test } from 'vitest'
import { findAccount, insertAccount, listAccounts } from '../../src/storage/accounts.ts'
import { forEachEngine } from '../support/databases.ts'

const account = { id: 'b', name: 'Ours', runtimeId: '2026.04', createdAt: 1_772_366_400_123 }

forEachEngine((_engine, open) => {
  test('gives an account back as it was written, and nothing for an id that nobody has', async () => {
    const { kysely: db } = await open()
    await insertAccount(db, account)
    expect(await findAccount(db, 'b')).toEqual(account)
    expect(await findAccount(db, 'c')).toBeUndefined()
  })

  test('lists accounts, oldest first', async () => {
    const { kysely: db } = await open()
    for (const row of [
      account,
      { ...account, id: 'a', createdAt: account.createdAt - 1 },
      { ...account, id: 'c' },
    ]) {
      await insertAccount(db, row)
    }
    expect((await listAccounts(db)).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })
})
