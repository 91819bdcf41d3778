import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashKey, newId } from '../../src/lib/ids.ts'
import { Secret } from '../../src/lib/secret.ts'
import { ensureFirstAccount } from '../../src/server/first-account.ts'
import { insertApiKey, listApiKeys, revokeApiKey } from '../../src/storage/api-keys.ts'
import { contractFaults, contractIsHere, skippedWithoutContract } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let other: { accountId: string; apiKey: string }
beforeAll(async () => {
  service = await startTestService()
  other = await service.addAccount()
})
afterAll(() => service.close())

const ask = (url: string, key: string) =>
  service.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${key}` } })

async function addKey(name: string, owner?: Parameters<typeof insertApiKey>[2]): Promise<string> {
  const key = `pk_${newId()}`
  const { accountId, clock, database } = service
  const row = { id: newId(), accountId, name, hash: hashKey(key), masked: '****', createdAt: clock.now() }
  await insertApiKey(database.kysely, { ...row, lastUsedAt: null }, owner)
  return key
}

describe('the account', () => {
  test.each(['/v1', '/next'])('is found under %s as the only one, as "me" and by its id', async (version) => {
    const [one, me, list] = await Promise.all([
      service.api('GET', `${version}/accounts/${service.accountId}`),
      service.api('GET', `${version}/accounts/me`),
      service.api('GET', `${version}/accounts`),
    ])
    expect(one.json()).toMatchObject({
      id: service.accountId,
      name: 'Picket',
      runtimeId: '2026.04',
      planDisplayName: 'Self-hosted',
      alertSettings: { escalationType: 'RUN_BASED' },
    })
    expect(me.json()).toEqual(one.json())
    expect(list.json()).toEqual([one.json()])
  })

  test.each(['/v1/accounts/:id', '/next/accounts/:id', '/v1/accounts/:id/entitlements'])(
    'of somebody else is not found: %s',
    async (route) => {
      const answer = await service.api('GET', route.replace(':id', other.accountId))
      expect(answer.json()).toMatchObject({ statusCode: 404, message: 'There is no such account' })
    },
  )
})

describe('entitlements', () => {
  test('are the same for the account of the key and for its id, and need a key', async () => {
    const mine = await service.api('GET', '/v1/accounts/me/entitlements')
    const named = await service.api('GET', `/v1/accounts/${service.accountId}/entitlements`)
    expect(mine.statusCode).toBe(200)
    expect(named.json()).toEqual(mine.json())
    const without = await service.app.inject({ method: 'GET', url: '/v1/accounts/me/entitlements' })
    expect(without.statusCode).toBe(401)
  })

  test('enable what the service has, in every location, and say what it has not', async () => {
    const { entitlements, locations } = (await service.api('GET', '/v1/accounts/me/entitlements')).json()
    const enabled = new Map(
      entitlements.map((one: { key: string; enabled: boolean }) => [one.key, one.enabled]),
    )
    expect(enabled.get('API_CHECKS')).toBe(true)
    expect(enabled.get('API_CHECKS_RETRY_STRATEGY')).toBe(true)
    expect(enabled.get('BROWSER_CHECKS')).toBe(false)
    expect(locations.all).toContainEqual({ id: 'us-east-1', name: 'N. Virginia', available: true })
    expect(locations.maxPerCheck).toBe(locations.all.length)
  })
})

describe('whose a key is', () => {
  test('is the person, whichever of their keys is used', async () => {
    const owner = { kind: 'user', userName: 'Ada' } as const
    const [laptop, desk] = [await addKey('laptop', owner), await addKey('desk', owner)]
    const user = (await ask('/next/users/me', laptop)).json()
    expect(user).toEqual({ id: expect.any(String), name: 'Ada' })
    expect((await ask('/next/users/me', desk)).json()).toEqual(user)
  })

  test('is the service that a service key was made for', async () => {
    expect((await ask('/next/users/me', await addKey('CI'))).json()).toMatchObject({ name: 'CI' })
  })
})

test('the members of an account are the people who have keys of it', async () => {
  const owner = { kind: 'user', userName: 'grace@shop.example' } as const
  await addKey('laptop', owner)
  service.clock.advance(60_000)
  await addKey('phone', owner)
  const { members, length } = (await ask('/v1/accounts/me/members', service.apiKey)).json()
  expect(length).toBe(members.length)
  expect(members.filter(({ email }: { email: string }) => email === owner.userName)).toEqual([
    expect.objectContaining({
      type: 'member',
      accountId: service.accountId,
      name: owner.userName,
      role: 'OWNER',
      createdAt: new Date(service.clock.now() - 60_000).toISOString(),
      updatedAt: new Date(service.clock.now()).toISOString(),
    }),
  ])
  expect((await ask('/v1/accounts/me/members', other.apiKey)).json().members).toEqual([])
})

describe('an API key', () => {
  test('opens nothing from the moment it is revoked', async () => {
    const key = await addKey('leaked')
    expect((await ask('/v1/accounts/me', key)).statusCode).toBe(200)
    const { kysely } = service.database
    const row = (await listApiKeys(kysely, service.accountId)).find(({ name }) => name === 'leaked')
    expect(await revokeApiKey(kysely, { accountId: service.accountId, id: row?.id ?? '' }, 1)).toBe(true)
    const answer = await ask('/v1/accounts/me', key)
    expect(answer.json()).toEqual({ statusCode: 401, error: 'Unauthorized', message: 'Bad Token' })
  })

  test('that was revoked stays so when the service starts again with it in its settings', async () => {
    const started = await startTestService()
    const { accountId, apiKey, clock, database } = started
    const [key] = await listApiKeys(database.kysely, accountId)
    await revokeApiKey(database.kysely, { accountId, id: key?.id ?? '' }, clock.now())
    await ensureFirstAccount({ database, clock, accountId, apiKey: new Secret(apiKey) })
    expect((await started.api('GET', '/v1/accounts/me')).statusCode).toBe(401)
    await started.close()
  })

  test('says when it was used last, to the minute', async () => {
    const key = await addKey('used')
    const lastUsedAt = async () => {
      const keys = await listApiKeys(service.database.kysely, service.accountId)
      return keys.find(({ name }) => name === 'used')?.lastUsedAt
    }
    const first = service.clock.now()
    expect(await lastUsedAt()).toBeNull()
    await ask('/v1/accounts/me', key)
    service.clock.advance(60_000)
    await ask('/v1/accounts/me', key)
    expect(await lastUsedAt()).toBe(first)
    service.clock.advance(1)
    await ask('/v1/accounts/me', key)
    expect(await lastUsedAt()).toBe(first + 60_001)
  })
})

describe('a root cause analysis', () => {
  test.each(['error-groups', 'test-session-error-groups'])(
    'of %s is refused as not available here, with and without context',
    async (groups) => {
      for (const payload of [undefined, {}, { userContext: null }, { userContext: 'since Tuesday' }]) {
        const answer = await service.api('POST', `/v1/root-cause-analyses/${groups}/${newId()}`, payload)
        expect(answer.json()).toEqual({
          statusCode: 402,
          error: 'Payment Required',
          message: 'Root cause analyses are not available in a self-hosted service',
        })
      }
      const long = { userContext: 'x'.repeat(257) }
      expect((await service.api('POST', `/v1/root-cause-analyses/${groups}/1`, long)).json()).toMatchObject({
        statusCode: 400,
        message: expect.stringContaining('userContext'),
      })
    },
  )

  test('is never found', async () => {
    expect((await service.api('GET', `/v1/root-cause-analyses/${newId()}`)).statusCode).toBe(404)
  })
})

describe.skipIf(!contractIsHere)(`answers have the shape of the contract${skippedWithoutContract}`, () => {
  const groups = '/v1/root-cause-analyses'
  test.each([
    ['GET', '/v1/accounts', '/v1/accounts', 200],
    ['GET', '/v1/accounts/me', '/v1/accounts/me', 200],
    ['GET', '/v1/accounts/{accountId}', '/v1/accounts/:account', 200],
    ['GET', '/v1/accounts/{accountId}', '/v1/accounts/none', 404],
    ['GET', '/v1/accounts/me/entitlements', '/v1/accounts/me/entitlements', 200],
    ['GET', '/v1/accounts/{accountId}/entitlements', '/v1/accounts/:account/entitlements', 200],
    ['GET', '/v1/accounts/{accountId}/entitlements', '/v1/accounts/none/entitlements', 404],
    ['POST', `${groups}/error-groups/{errorGroupId}`, `${groups}/error-groups/1`, 402],
    [
      'POST',
      `${groups}/test-session-error-groups/{testSessionErrorGroupId}`,
      `${groups}/test-session-error-groups/1`,
      402,
    ],
    ['GET', `${groups}/{id}`, `${groups}/none`, 404],
  ] as const)('%s %s (%s → %i)', async (method, route, url, status) => {
    const answer = await service.api(method, url.replace(':account', service.accountId))
    expect(answer.statusCode).toBe(status)
    expect(contractFaults(method, route, status, answer.json())).toEqual([])
  })
})
