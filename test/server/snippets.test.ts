import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectConforming } from '../support/alert-channels.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const url = '/v1/snippets'
const create = (overrides: object = {}) =>
  service.api('POST', url, { name: 'sign in', script: 'await signIn()', ...overrides })

describe('a snippet', () => {
  test('comes back as it was sent; an update replaces it', async () => {
    const created = await create({ script: '// \u0000 žluťoučký\n' })
    expectConforming(created, 'POST', url, 201)
    expect(created.json()).toEqual({
      id: 1,
      name: 'sign in',
      script: '// \u0000 žluťoučký\n',
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: null,
    })
    const read = await service.api('GET', `${url}/1`)
    expectConforming(read, 'GET', `${url}/{id}`, 200)
    expect(read.json()).toEqual(created.json())
    service.clock.advance(1000)
    const sentBack = await service.api('PUT', `${url}/1`, read.json())
    expectConforming(sentBack, 'PUT', `${url}/{id}`, 200)
    expect(sentBack.json()).toEqual({ ...read.json(), updated_at: '2026-03-01T12:00:01.000Z' })
    const replaced = await service.api('PUT', `${url}/1`, { name: 'n', script: '' })
    expect(replaced.json()).toMatchObject({ id: 1, name: 'n', script: '' })
    expectConforming(await service.api('DELETE', `${url}/1`), 'DELETE', `${url}/{id}`, 204)
    expect((await service.api('GET', `${url}/1`)).statusCode).toBe(404)
  })

  test('the list is paged, newest first', async () => {
    for (const name of ['a', 'b', 'c']) {
      await create({ name })
      service.clock.advance(1000)
    }
    const answer = await service.api('GET', `${url}?limit=2&page=2`)
    expectConforming(answer, 'GET', url, 200)
    expect(answer.headers['content-range']).toBe('2-2/3')
    expect(answer.json()).toMatchObject([{ name: 'a' }])
  })

  test.each([
    [{ name: '' }, 'name', '"name" must not be empty'],
    [{ name: 'x'.repeat(256) }, 'name', '"name" must have at most 255 characters'],
    [{ script: null }, 'script', '"script" must be a string'],
    [{ script: 'x'.repeat(262_145) }, 'script', '"script" must have at most 262144 characters'],
  ])('%# is refused by the name of the field', async (overrides, key, message) => {
    const answer = await create(overrides)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().validation.keys).toEqual([key])
    expect(answer.json().message).toContain(message)
  })

  test('another account does not find it', async () => {
    await create()
    const { apiKey } = await service.addAccount()
    const headers = { authorization: `Bearer ${apiKey}` }
    const payload = { name: 'n', script: 's' }
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const answer = await service.app.inject({
        method,
        url: `${url}/1`,
        headers,
        ...(method === 'PUT' && { payload }),
      })
      expect(answer.statusCode, method).toBe(404)
    }
    const named = await service.app.inject({
      method: 'POST',
      url: '/v1/checks/api',
      headers,
      payload: apiCheckBody({ setupSnippetId: 1 }),
    })
    expect(named.json()).toMatchObject({ statusCode: 400, validation: { keys: ['setupSnippetId'] } })
  })
})

describe('a snippet in use', () => {
  const check = (overrides: object) => service.api('POST', '/v1/checks/api', apiCheckBody({ ...overrides }))

  test.each(['setupSnippetId', 'tearDownSnippetId'])('is named by %s of a check', async (field) => {
    const refused = await check({ [field]: 1 })
    expect(refused.json()).toMatchObject({ statusCode: 400, validation: { keys: [field] } })
    await create()
    const made = await check({ [field]: 1 })
    expect(made.json()[field]).toBe(1)
    const answer = await service.api('DELETE', `${url}/1`)
    expect([answer.statusCode, answer.json().message]).toEqual([
      409,
      `The snippet is in use by check "a check" (${made.json().id}): take it out of them before deleting it`,
    ])
    await service.api('PUT', `/v1/checks/api/${made.json().id}`, apiCheckBody())
    expect((await service.api('DELETE', `${url}/1`)).statusCode).toBe(204)
  })

  test('by groups and by many is told too', async () => {
    await create()
    const group = await service.api('POST', '/v2/check-groups', { name: 'Shop', tearDownSnippetId: 1 })
    for (let at = 0; at < 6; at += 1) await check({ setupSnippetId: 1, tearDownSnippetId: 1 })
    const { message } = (await service.api('DELETE', `${url}/1`)).json()
    expect(message.match(/check "a check"/g)).toHaveLength(5)
    expect(message).toContain(' and 2 more: ')
    for (const { id } of (await service.api('GET', '/v1/checks')).json())
      await service.api('DELETE', `/v1/checks/${id}`)
    expect((await service.api('DELETE', `${url}/1`)).json().message).toContain(
      `in use by check group "Shop" (${group.json().id}): `,
    )
  })

  test('is not mistaken for another whose id begins alike, nor for what a script says', async () => {
    for (let at = 0; at < 12; at += 1) await create()
    await check({ setupSnippetId: 12, localSetupScript: '({"setupSnippetId":1,"tearDownSnippetId":1})' })
    expect((await service.api('DELETE', `${url}/1`)).statusCode).toBe(204)
    expect((await service.api('DELETE', `${url}/12`)).statusCode).toBe(409)
  })
})
