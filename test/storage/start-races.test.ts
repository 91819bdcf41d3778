import { expect, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { ensureFirstAccount } from '../../src/server/first-account.ts'
import { listAccounts } from '../../src/storage/accounts.ts'
import { forEachEngine } from '../support/databases.ts'

forEachEngine((_engine, open) => {
  test.each([undefined, '99999999-9999-4999-8999-999999999999'])(
    'servers that start at once on an empty database make one first account (id %s)',
    async (accountId) => {
      const database = await open()
      const start = () => ensureFirstAccount({ database, clock: systemClock, accountId, apiKey: undefined })
      const started = await Promise.all(Array.from({ length: 6 }, start))
      expect(await listAccounts(database.kysely)).toHaveLength(1)
      expect(new Set(started.map((account) => account.accountId)).size).toBe(1)
      expect(started.filter(({ created }) => created)).toHaveLength(1)
      expect(started.filter(({ newKey }) => newKey)).toHaveLength(1)
    },
  )
})
