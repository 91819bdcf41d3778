import { expect, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { newSealingSecret } from '../../src/lib/sealing.ts'
import { Secret } from '../../src/lib/secret.ts'
import { ensureFirstAccount } from '../../src/server/first-account.ts'
import { openSealer } from '../../src/server/secrets/open-sealer.ts'
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

  test('servers that start at once with different keys on an empty database: it belongs to one of the keys', async () => {
    const database = await open()
    const keys = [new Secret(newSealingSecret()), new Secret(newSealingSecret())]
    const starts = await Promise.allSettled(
      [...keys, ...keys, ...keys].map((key) => openSealer(database, { kind: 'given', key }, systemClock)),
    )
    const started = starts.map(({ status }) => status === 'fulfilled')
    expect([
      [true, false, true, false, true, false],
      [false, true, false, true, false, true],
    ]).toContainEqual(started)
    for (const one of starts)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'SECRET_KEY_WRONG' })
    expect(await database.kysely.selectFrom('secretKeyProofs').selectAll().execute()).toHaveLength(1)
  })
})
