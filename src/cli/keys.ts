import { DataCenterLocation } from '../contract/locations.ts'
import { AppError } from '../lib/app-error.ts'
import { systemClock } from '../lib/clock.ts'
import { hashKey, maskKey, newId, newKey } from '../lib/ids.ts'
import { validator } from '../lib/validate.ts'
import { readServerConfig } from '../server/config.ts'
import { listAccounts } from '../storage/accounts.ts'
import { insertApiKey, listApiKeys, revokeApiKey } from '../storage/api-keys.ts'
import type { Database } from '../storage/database.ts'
import { deleteDataCenterKey, insertLocationKey, listDataCenterKeys } from '../storage/location-keys.ts'
import { withStorage } from './open-storage.ts'

type Env = Readonly<Record<string, string | undefined>>

const readLocation = validator(DataCenterLocation)

/** The account of the settings, or the first one. @throws AppError when there is none yet */
async function accountIn(database: Database, env: Env): Promise<string> {
  const { accountId } = readServerConfig(env)
  const accounts = await listAccounts(database.kysely)
  const account = accountId === undefined ? accounts[0] : accounts.find(({ id }) => id === accountId)
  if (account) return account.id
  throw new AppError(
    'ACCOUNT_UNKNOWN',
    'There is no such account yet: the first start of the service makes one',
  )
}

const print = (text: string) => process.stdout.write(`${text}\n`)

export function listKeys(env: Env): Promise<void> {
  return withStorage(env, async (database) => {
    const accountId = await accountIn(database, env)
    for (const key of await listApiKeys(database.kysely, accountId)) {
      const used =
        key.lastUsedAt === null ? 'never used' : `last used ${new Date(key.lastUsedAt).toISOString()}`
      const owner = key.userName === null ? 'service' : `user ${key.userName}`
      print(`${key.id}  API key   ${key.masked}  ${key.name}, ${owner}, ${used}`)
    }
    for (const key of await listDataCenterKeys(database.kysely)) {
      print(`${key.id}  location  ${key.masked}  ${key.location}`)
    }
  })
}

/** A service key, or a key of the person who is named: one may have several. */
export function createKey(env: Env, name: string, userName?: string): Promise<void> {
  return withStorage(env, async (database) => {
    const accountId = await accountIn(database, env)
    const key = newKey('pk_')
    const row = {
      id: newId(),
      accountId,
      name,
      hash: hashKey(key),
      masked: maskKey(key),
      createdAt: systemClock.now(),
      lastUsedAt: null,
    }
    const owner = userName === undefined ? undefined : ({ kind: 'user', userName } as const)
    await insertApiKey(database.kysely, row, owner)
    print(`Account  ${accountId}\nAPI key  ${key}   (shown only now: keep it)`)
  })
}

/** @throws AppError when there is no such data-center location */
export function createLocationKey(env: Env, location: string): Promise<void> {
  const read = readLocation(location)
  if (read.kind === 'invalid') {
    const allowed = read.faults.map(({ text }) => text.replace('the input', 'the location')).join('; ')
    throw new AppError('LOCATION_UNKNOWN', allowed)
  }
  return withStorage(env, async (database) => {
    const key = newKey('pl_')
    const row = {
      id: newId(),
      accountId: null,
      privateLocationId: null,
      location,
      hash: hashKey(key),
      masked: maskKey(key),
      createdAt: systemClock.now(),
    }
    await insertLocationKey(database.kysely, row, Number.MAX_SAFE_INTEGER)
    print(`Location  ${location}\nAPI_KEY   ${key}   (shown only now: keep it)`)
  })
}

/** @throws AppError when there is no such key */
export function revokeKey(env: Env, id: string): Promise<void> {
  return withStorage(env, async (database) => {
    const accountId = await accountIn(database, env)
    const revoked =
      (await revokeApiKey(database.kysely, { accountId, id }, systemClock.now())) ||
      (await deleteDataCenterKey(database.kysely, id))
    if (!revoked)
      throw new AppError('KEY_UNKNOWN', 'There is no key with this id: "picket keys list" shows them')
    print('revoked')
  })
}
