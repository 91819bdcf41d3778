import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const create = async (overrides: Record<string, unknown> = {}) => {
  const answer = await service.api('POST', '/v1/checks/api', apiCheckBody(overrides))
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json()
}

describe('POST /v1/checks/api', () => {
  test('answers 201 with what was sent, un-normalised, defaults filled', async () => {
    const headers = [
      { key: 'X-B', value: '2', locked: false },
      { key: 'x-a', value: '1', locked: true },
    ]
    const check = await create({
      tags: ['b', 'a', 'b'],
      request: { method: 'POST', url: 'http://a.example/', headers },
    })
    expect(check).toMatchObject({
      checkType: 'API',
      tags: ['b', 'a', 'b'],
      degradedResponseTime: 5000,
      maxResponseTime: 20_000,
      activated: true,
      request: { headers, bodyType: 'NONE', ipFamily: 'IPv4' },
      alertSettings: { escalationType: 'RUN_BASED', reminders: { amount: 0, interval: 5 } },
      created_at: '2026-03-01',
      updated_at: null,
    })
    expect(await (await service.api('GET', `/v1/checks/${check.id}`)).json()).toEqual(check)
  })

  test('onlyOn of a retry strategy comes back in the form in which it was sent', async () => {
    const strategy = {
      type: 'FIXED',
      baseBackoffSeconds: 5,
      maxRetries: 3,
      maxDurationSeconds: 100,
      sameRegion: false,
    }
    const one = await create({ retryStrategy: { ...strategy, onlyOn: 'NETWORK_ERROR' } })
    const other = await create({ retryStrategy: { ...strategy, onlyOn: ['NETWORK_ERROR'] } })
    expect(one.retryStrategy.onlyOn).toBe('NETWORK_ERROR')
    expect(other.retryStrategy.onlyOn).toEqual(['NETWORK_ERROR'])
  })

  test('what other clients send along is taken: empty ids, nulls for lists, extra keys', async () => {
    const check = await create({
      id: '',
      tags: null,
      heartbeat: { period: 0 },
      alertSettings: {},
      request: {
        method: 'GET',
        url: 'http://a.example/',
        assertions: [
          { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200', edit: true, order: 0, arrayIndex: 0 },
        ],
      },
    })
    expect(check.tags).toEqual([])
    expect(check.request.assertions[0]).toEqual({
      source: 'STATUS_CODE',
      comparison: 'EQUALS',
      property: '',
      target: '200',
      regex: null,
    })
  })

  test.each([
    [
      { frequency: 3 },
      '"frequency" must be one of [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440], was 3',
    ],
    [{ locations: [] }, 'You have to set at least one `location` or `privateLocation`'],
    [
      { request: { method: 'GET', url: 'ftp://a' } },
      '"request.url" must be a URL that starts with http:// or https://',
    ],
    [{ privateLocations: ['nowhere'] }, '"nowhere"'],
    [{ groupId: 7 }, '"groupId" names 7, which is the id of no check group of this account'],
    [{ frequency: 0, frequencyOffset: 15 }, 'frequencyOffset'],
    [{ frequency: 5, frequencyOffset: 51 }, 'frequencyOffset'],
    [{ frequency: 720, frequencyOffset: 13 }, 'frequencyOffset'],
  ])('refuses %j with 400 and a sentence, and stores nothing', async (overrides, text) => {
    const answer = await service.api('POST', '/v1/checks/api', apiCheckBody(overrides))
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({
      statusCode: 400,
      error: 'Bad Request',
      validation: { source: 'payload' },
    })
    expect(answer.json().message).toContain(text)
    expect((await service.api('GET', '/v1/checks')).json()).toEqual([])
  })

  test.each(['{"name":', '[]', 'null', '"x"', ''])('refuses the body %s with 400', async (payload) => {
    const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
    const answer = await service.app.inject({ method: 'POST', url: '/v1/checks/api', headers, payload })
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ statusCode: 400, error: 'Bad Request' })
  })
})

describe('templates of a request', () => {
  const request = (overrides: Record<string, unknown>) => ({
    request: { method: 'POST', url: 'http://a.example/', ...overrides },
  })

  test.each([
    [{ url: 'http://a.example/{{#if A}}' }, 'request.url'],
    [{ body: '{{A' }, 'request.body'],
    [
      {
        headers: [
          { key: 'a', value: '1' },
          { key: 'b', value: '{{/if}}' },
        ],
      },
      'request.headers[1].value',
    ],
    [{ queryParameters: [{ key: 'a', value: '{{{A}}' }] }, 'request.queryParameters[0].value'],
    [{ basicAuth: { username: '{{#each}}', password: '' } }, 'request.basicAuth.username'],
    [{ basicAuth: { username: '', password: 'hunter2{{' } }, 'request.basicAuth.password'],
  ])('that can never be filled in are refused, naming the field: %j', async (overrides, field) => {
    const answer = await service.api('POST', '/v1/checks/api', apiCheckBody(request(overrides)))
    expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [field]])
    expect(answer.json().message).toContain(`"${field}" is not a valid template`)
    expect(answer.body).not.toContain('hunter2')
  })

  test('are refused by an update, too', async () => {
    const { id } = await create()
    const answer = await service.api('PUT', `/v1/checks/api/${id}`, apiCheckBody(request({ body: '{{A' })))
    expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, ['request.body']])
  })

  test('come back as they were sent, whatever variables there are', async () => {
    const url = '{{BASE}}/{{{PATH}}}?at={{date "YYYY"}}'
    const check = await create(request({ url, body: '{{#if A}}a{{else}}b{{/if}}' }))
    expect(check.request).toMatchObject({ url, body: '{{#if A}}a{{else}}b{{/if}}' })
  })
})

describe('PUT /v1/checks/api/{id}', () => {
  test('replaces: what is left out takes its default, name and request stay', async () => {
    const check = await create({ tags: ['a'], muted: true, maxResponseTime: 100 })
    const answer = await service.api('PUT', `/v1/checks/api/${check.id}`, {
      locations: ['us-east-1'],
      frequency: 5,
    })
    expect(answer.statusCode, answer.body).toBe(200)
    expect(answer.json()).toMatchObject({
      id: check.id,
      name: check.name,
      request: check.request,
      tags: [],
      muted: false,
      maxResponseTime: 20_000,
      frequency: 5,
      updated_at: '2026-03-01T12:00:00.000Z',
    })
  })

  test('sending back what was read changes nothing but updated_at', async () => {
    const check = await create({ description: 'd', triggerIncident: null, basicAuth: null })
    const answer = await service.api('PUT', `/v1/checks/api/${check.id}`, check)
    expect(answer.json()).toEqual({ ...check, updated_at: answer.json().updated_at })
  })

  test('an unknown id answers 404', async () => {
    const url = '/v1/checks/api/00000000-0000-4000-8000-000000000000'
    expect((await service.api('PUT', url, apiCheckBody())).statusCode).toBe(404)
  })
})

describe('GET /v1/checks', () => {
  test('pages with a content-range, and past the end answers an empty list', async () => {
    for (let n = 0; n < 11; n += 1) await create({ name: `check ${n}` })
    const first = await service.api('GET', '/v1/checks')
    expect(first.json()).toHaveLength(10)
    expect(first.headers['content-range']).toBe('0-9/11')
    expect((await service.api('GET', '/v1/checks?page=2')).json()).toHaveLength(1)
    expect((await service.api('GET', '/v1/checks?page=3')).json()).toEqual([])
  })

  test.each([
    ['tag=red', ['one']],
    ['tag=red&tag=blue', ['one']],
    ['search=TWO', ['two']],
    ['checkType=TCP', []],
    ['checkType=API', ['one', 'two']],
    ['apiCheckUrlFilterPattern=two.example', ['two']],
    ['unknown=1', ['one', 'two']],
  ])('%s', async (query, names) => {
    await create({ name: 'one', tags: ['red', 'blue'] })
    await create({ name: 'two', tags: ['blue'], request: { method: 'GET', url: 'http://two.example/' } })
    const found = (await service.api('GET', `/v1/checks?${query}`)).json()
    expect(found.map((check: { name: string }) => check.name).sort()).toEqual(names)
  })

  test.each(['limit=0', 'limit=101', 'page=0', 'limit=x', 'checkType=NONE'])(
    '%s is refused',
    async (query) => {
      const answer = await service.api('GET', `/v1/checks?${query}`)
      expect(answer.statusCode).toBe(400)
      expect(answer.json().validation).toEqual({ source: 'query', keys: [query.split('=')[0]] })
    },
  )
})

test('DELETE /v1/checks/{id} answers 204 with an empty body, and the check is gone with all that belongs to it', async () => {
  const check = await create()
  const answer = await service.api('DELETE', `/v1/checks/${check.id}`)
  expect([answer.statusCode, answer.body]).toEqual([204, ''])
  expect((await service.api('GET', `/v1/checks/${check.id}`)).statusCode).toBe(404)
  expect((await service.api('GET', `/v1/check-results/${check.id}`)).statusCode).toBe(404)
  expect((await service.api('DELETE', `/v1/checks/${check.id}`)).statusCode).toBe(404)
})
