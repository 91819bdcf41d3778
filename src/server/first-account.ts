import { runtimeIds } from '../contract/runtime-ids.ts'
import type { Clock } from '../lib/clock.ts'
import { hashKey, maskKey, newId, newKey } from '../lib/ids.ts'
import { Secret } from '../lib/secret.ts'
import { findAccount, insertAccount, listAccounts } from '../storage/accounts.ts'
import { findApiKeyByHash, insertApiKey } from '../storage/api-keys.ts'
import type { Database } from '../storage/database.ts'
import { takeTurn } from '../storage/take-turn.ts'

export interface FirstAccount {
  readonly accountId: string
  /** True when it was made just now. */
  readonly created: boolean
  /** The key that was generated just now, to be shown this once; null when there was one already. */
  readonly newKey: Secret | null
}

interface FirstAccountOptions {
  readonly database: Database
  readonly clock: Clock
  readonly accountId: string | undefined
  readonly apiKey: Secret | undefined
}

/** Makes sure that there is an account, and that the key of the settings opens it. Starting again changes nothing. */
export function ensureFirstAccount(options: FirstAccountOptions): Promise<FirstAccount> {
  const { database, clock } = options
  return database.transaction(async (db) => {
    await takeTurn(db)
    const [oldest] = await listAccounts(db)
    const accountId = options.accountId ?? oldest?.id ?? newId()
    const created = (await findAccount(db, accountId)) === undefined
    const createdAt = clock.now()
    if (created)
      await insertAccount(db, { id: accountId, name: 'Picket', runtimeId: runtimeIds[0], createdAt })
    const generated = created && !options.apiKey ? new Secret(newKey('pk_')) : null
    const key = options.apiKey ?? generated
    if (key && !(await findApiKeyByHash(db, hashKey(key.reveal())))) {
      await insertApiKey(db, {
        id: newId(),
        accountId,
        name: 'first key',
        hash: hashKey(key.reveal()),
        masked: maskKey(key.reveal()),
        createdAt,
        lastUsedAt: null,
      })
    }
    return { accountId, created, newKey: generated }
  })
}

/** What a person needs after the first start; the key is shown nowhere else. */
export function welcome(account: FirstAccount, url: string): string {
  const key = account.newKey?.reveal() ?? '<your key>'
  return [
    '',
    `  Account   ${account.accountId}`,
    `  API key   ${key}   (shown only now: keep it)`,
    '',
    `  1. Results of the first check:  curl -s -H "Authorization: Bearer ${key}" ${url}/v1/check-statuses`,
    '  2. Add a check of your own:     README.md, "Add a check"',
    `  3. Read the API:                ${url}/documentation`,
    '',
    '',
  ].join('\n')
}
