import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

describe('an API key', () => {
  test.each([
    {},
    { authorization: 'Bearer wrong' },
    { authorization: 'Basic abc' },
    { authorization: 'Bearer ' },
  ])('is needed: %j answers 401 in the shape that clients know', async (headers) => {
    const answer = await service.app.inject({ method: 'GET', url: '/v1/checks', headers })
    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toEqual({ statusCode: 401, error: 'Unauthorized', message: 'Bad Token' })
  })

  test.each(['/v1/runtimes', '/v1/runtimes/2026.04'])('is not needed for %s', async (url) => {
    expect((await service.app.inject({ method: 'GET', url })).statusCode).toBe(200)
  })

  test.each(['x-service-account', 'x-checkly-account'])(
    'opens its own account only, named in %s or not',
    async (header) => {
      const other = await service.addAccount()
      const ask = (account: string) =>
        service.app.inject({
          method: 'GET',
          url: '/v1/accounts/me',
          headers: { authorization: `Bearer ${service.apiKey}`, [header]: account },
        })
      expect((await ask(service.accountId)).json()).toMatchObject({ id: service.accountId })
      expect((await ask(other.accountId)).statusCode).toBe(403)
    },
  )

  test('of one account finds nothing of another: every id answers 404', async () => {
    const other = await service.addAccount()
    const check = (await service.api('POST', '/v1/checks/api', apiCheckBody())).json()
    const place = (await service.api('POST', '/v1/private-locations', { name: 'p', slugName: 'p' })).json()
    const headers = { authorization: `Bearer ${other.apiKey}` }
    const routes = [
      ['GET', `/v1/checks/${check.id}`],
      ['DELETE', `/v1/checks/${check.id}`],
      ['PUT', `/v1/checks/api/${check.id}`],
      ['GET', `/v1/check-statuses/${check.id}`],
      ['GET', `/v1/check-results/${check.id}`],
      ['GET', `/v2/check-results/${check.id}`],
      ['GET', `/v1/private-locations/${place.id}`],
      ['DELETE', `/v1/private-locations/${place.id}`],
      ['POST', `/v1/private-locations/${place.id}/keys`],
      ['GET', `/v1/accounts/${service.accountId}`],
    ] as const
    for (const [method, url] of routes) {
      const payload = method === 'PUT' ? apiCheckBody() : undefined
      const answer = await service.app.inject({ method, url, headers, ...(payload && { payload }) })
      expect([method, url, answer.statusCode]).toEqual([method, url, 404])
    }
    expect((await service.api('GET', `/v1/checks/${check.id}`)).statusCode).toBe(200)
  })

  test('opens no agent route, and an agent key no account route', async () => {
    expect((await service.agent('leases', {}, service.apiKey)).statusCode).toBe(401)
    const headers = { authorization: 'Bearer pl_embedded-agent-of-the-tests' }
    expect((await service.app.inject({ method: 'GET', url: '/v1/checks', headers })).statusCode).toBe(401)
  })
})

test('more requests than the limit answer 429 with Retry-After', async () => {
  const limited = await startTestService({ rateLimitAMinute: 2 })
  const codes = []
  for (let n = 0; n < 3; n += 1) codes.push((await limited.api('GET', '/v1/checks')).statusCode)
  const answer = await limited.api('GET', '/v1/checks')
  expect(codes).toEqual([200, 200, 429])
  expect(answer.json()).toMatchObject({ statusCode: 429, error: 'Too Many Requests' })
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  await limited.close()
})

test('an unknown route answers 404 with the error body', async () => {
  const answer = await service.api('GET', '/v1/nothing')
  expect(answer.json()).toEqual({
    statusCode: 404,
    error: 'Not Found',
    message: 'There is no GET /v1/nothing',
  })
})
