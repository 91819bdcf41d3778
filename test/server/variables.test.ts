import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const url = '/v1/variables'
const create = (body: object) => service.api('POST', url, body)
const read = async (key: string) => (await service.api('GET', `${url}/${key}`)).json()

describe('a variable', () => {
  const variable = { key: 'BASE_URL', value: ' https://a.example/?x={{Y}}\n', locked: true, secret: false }

  test('comes back as it was sent, from each operation', async () => {
    const created = await create(variable)
    expect([created.statusCode, created.json()]).toEqual([201, variable])
    expect(await read('BASE_URL')).toEqual(variable)
    expect((await service.api('GET', url)).json()).toEqual([variable])
    const changed = { key: 'BASE_URL', value: '', locked: false, secret: false }
    const updated = await service.api('PUT', `${url}/BASE_URL`, { value: '' })
    expect([updated.statusCode, updated.json()]).toEqual([200, changed])
    expect(await read('BASE_URL')).toEqual(changed)
    const deleted = await service.api('DELETE', `${url}/BASE_URL`)
    expect([deleted.statusCode, deleted.body]).toEqual([204, ''])
    expect((await service.api('GET', `${url}/BASE_URL`)).statusCode).toBe(404)
  })

  test('has a key of its own in the account: the second one answers 409, and the first stays', async () => {
    await create(variable)
    const second = await create({ ...variable, value: 'other' })
    expect(second.statusCode).toBe(409)
    expect(second.json().message).toContain('"BASE_URL"')
    expect(await read('BASE_URL')).toEqual(variable)
    expect((await create({ ...variable, key: 'base_url' })).statusCode).toBe(201)
  })

  test('keeps its key: one in the body of an update is ignored', async () => {
    await create(variable)
    await service.api('PUT', `${url}/BASE_URL`, { key: 'OTHER', value: 'v' })
    expect(await read('BASE_URL')).toMatchObject({ key: 'BASE_URL', value: 'v' })
    expect((await service.api('GET', `${url}/OTHER`)).statusCode).toBe(404)
  })

  test.each(['A', 'a-b.c_9', '__proto__', 'constructor', '9', 'K'.repeat(255)])(
    'may have the key %s, and is reached by it',
    async (key) => {
      expect((await create({ key, value: 'v' })).statusCode).toBe(201)
      expect(await read(key)).toMatchObject({ key, value: 'v' })
      expect((await service.api('DELETE', `${url}/${key}`)).statusCode).toBe(204)
    },
  )

  test.each(['', ' A', 'A B', 'A/B', '..', '.', 'Ä', 'A%20', 'K'.repeat(256)])(
    'cannot have the key %j',
    async (key) => {
      const answer = await create({ key, value: 'v' })
      expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, ['key']])
    },
  )

  test.each(['POST', 'PUT'] as const)('needs a value, in %s as the contract has it', async (method) => {
    await create(variable)
    const path = method === 'POST' ? url : `${url}/BASE_URL`
    const answer = await service.api(method, path, { key: 'K', secret: false })
    expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, ['value']])
    const long = await service.api(method, path, { key: 'K', value: 'x'.repeat(65_537) })
    expect([long.statusCode, long.json().validation.keys]).toEqual([400, ['value']])
  })
})

describe('the value of a secret', () => {
  const secret = { key: 'TOKEN', value: 'hunter2-taint', locked: false, secret: true }

  test('is in no answer', async () => {
    const answers = [
      await create(secret),
      await create(secret),
      await service.api('GET', url),
      await service.api('GET', `${url}/TOKEN`),
      await service.api('PUT', `${url}/TOKEN`, { value: 'hunter2-taint-2', secret: true }),
      await service.api('PUT', `${url}/TOKEN`, { value: '', secret: false }),
      await service.api('GET', `${url}/TOKEN`),
    ]
    for (const { body } of answers) expect(body).not.toContain('taint')
    expect(answers[0]?.json()).toEqual({ ...secret, value: '' })
  })

  test('stays secret for good, whatever an update says', async () => {
    await create(secret)
    const updated = await service.api('PUT', `${url}/TOKEN`, { value: 'new', secret: false })
    expect(updated.json()).toEqual({ ...secret, value: '' })
    expect(await read('TOKEN')).toEqual({ ...secret, value: '' })
  })

  test('can be one that was none', async () => {
    await create({ ...secret, secret: false })
    await service.api('PUT', `${url}/TOKEN`, { value: 'hunter2-taint', secret: true })
    expect(await read('TOKEN')).toEqual({ ...secret, value: '' })
  })
})

describe('a list', () => {
  test('has pages in the order of keys, with a content-range; past the end it is empty', async () => {
    for (const n of [7, 3, 9, 1, 10, 2, 8, 6, 5, 4, 11]) await create({ key: `K${100 + n}`, value: `${n}` })
    const first = await service.api('GET', url)
    expect(first.json().map(({ value }: { value: string }) => Number(value))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
    expect(first.headers['content-range']).toBe('0-9/11')
    const rest = await service.api('GET', `${url}?limit=4&page=3`)
    expect(rest.json().map(({ value }: { value: string }) => value)).toEqual(['9', '10', '11'])
    expect(rest.headers['content-range']).toBe('8-10/11')
    expect((await service.api('GET', `${url}?page=3`)).json()).toEqual([])
  })

  test('without anything in it is empty', async () => {
    expect((await service.api('GET', url)).json()).toEqual([])
  })
})

test('an account has at most 1,000 variables: the next one answers 409 and says what to do', async () => {
  const { database, accountId } = service
  const rows = Array.from({ length: 999 }, (_, n) => ({
    accountId,
    key: `K${n}`,
    value: '',
    locked: 0 as const,
    secret: 0 as const,
    createdAt: 1,
    updatedAt: null,
  }))
  await database.kysely.insertInto('variables').values(rows).execute()
  expect((await create({ key: 'LAST', value: 'v' })).statusCode).toBe(201)
  const answer = await create({ key: 'OVER', value: 'v' })
  expect(answer.statusCode).toBe(409)
  expect(answer.json().message).toBe('An account has at most 1000 variables: delete one first')
  expect((await create({ key: 'LAST', value: 'v' })).json().message).toContain('"LAST" exists')
  await service.api('DELETE', `${url}/K0`)
  expect((await create({ key: 'OVER', value: 'v' })).statusCode).toBe(201)
})
