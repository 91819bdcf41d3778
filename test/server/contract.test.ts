import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/lib/logger.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId, passingResult } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { clientCertificateBody } from '../support/key-pairs.ts'
import { contractFaults, contractIsHere, skippedWithoutContract } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

describe.skipIf(!contractIsHere)(
  `answers are of the shape that existing clients know${skippedWithoutContract}`,
  () => {
    let service: TestService
    let ids: Record<string, string>

    /** A service that holds one of each thing. */
    beforeAll(async () => {
      service = await startTestService()
      const check = await service.api('POST', '/v1/checks/api', apiCheckBody())
      const place = await service.api('POST', '/v1/private-locations', { name: 'p', slugName: 'office' })
      const key = await service.api('POST', `/v1/private-locations/${place.json().id}/keys`)
      const certificate = await service.api('POST', '/v1/client-certificates', clientCertificateBody())
      await service.api('POST', '/v1/variables', { key: 'TOKEN', value: 'v', secret: true })
      service.clock.advance(10_000)
      const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
      const locations = new LocationWatch({
        db: service.database.kysely,
        logger,
        startedAt: service.clock.now(),
      })
      await schedulerTurn({ ...service, locations })
      const claim = { agentId, capabilities: agentCapabilities, slots: 10, waitMs: 0 }
      const [run] = (await service.agent('claims', claim)).json().runs
      const result = passingResult(run, service.clock.now())
      await service.agent('results', { agentId, results: [result] })
      ids = {
        check: check.json().id,
        place: place.json().id,
        key: key.json().id,
        certificate: certificate.json().id,
        result: result.id,
        account: service.accountId,
        none: '00000000-0000-4000-8000-000000000000',
        from: String(service.clock.now() / 1000 - 60),
        to: String(service.clock.now() / 1000),
      }
    })
    afterAll(() => service.close())

    const operations: [Method, string, string, number, unknown?][] = [
      ['POST', '/v1/checks/api', '/v1/checks/api', 201, apiCheckBody({ retryStrategy: { type: 'FIXED' } })],
      ['PUT', '/v1/checks/api/{id}', '/v1/checks/api/:check', 200, apiCheckBody({ name: 'new' })],
      [
        'PUT',
        '/v1/checks/api/{id}',
        '/v1/checks/api/:check',
        200,
        apiCheckBody({ environmentVariables: [{ key: 'K', value: 'v', secret: true }] }),
      ],
      ['GET', '/v1/checks', '/v1/checks', 200],
      ['GET', '/v1/checks/{id}', '/v1/checks/:check', 200],
      ['GET', '/v1/checks/{id}', '/v1/checks/:none', 404],
      ['GET', '/v1/check-statuses', '/v1/check-statuses', 200],
      ['GET', '/v1/check-statuses/{checkId}', '/v1/check-statuses/:check', 200],
      ['GET', '/v1/check-results/{checkId}', '/v1/check-results/:check', 200],
      ['GET', '/v1/check-results/{checkId}/{checkResultId}', '/v1/check-results/:check/:result', 200],
      ['GET', '/v1/check-results/{checkId}/{checkResultId}', '/v1/check-results/:check/:none', 404],
      ['GET', '/v2/check-results/{checkId}', '/v2/check-results/:check', 200],
      ['POST', '/v1/private-locations', '/v1/private-locations', 201, { name: 'n', slugName: 'other' }],
      ['GET', '/v1/private-locations', '/v1/private-locations', 200],
      ['GET', '/v1/private-locations/{id}', '/v1/private-locations/:place', 200],
      ['PUT', '/v1/private-locations/{id}', '/v1/private-locations/:place', 200, { name: 'n' }],
      ['POST', '/v1/private-locations/{id}/keys', '/v1/private-locations/:place/keys', 201],
      [
        'GET',
        '/v1/private-locations/{id}/metrics',
        '/v1/private-locations/:place/metrics?from=:from&to=:to',
        200,
      ],
      ['DELETE', '/v1/private-locations/{id}/keys/{keyId}', '/v1/private-locations/:place/keys/:key', 204],
      ['DELETE', '/v1/private-locations/{id}', '/v1/private-locations/:place', 204],
      ['POST', '/v1/variables', '/v1/variables', 201, { key: 'BASE_URL', value: 'v' }],
      ['GET', '/v1/variables', '/v1/variables', 200],
      ['GET', '/v1/variables/{key}', '/v1/variables/TOKEN', 200],
      ['GET', '/v1/variables/{key}', '/v1/variables/NONE', 404],
      ['PUT', '/v1/variables/{key}', '/v1/variables/TOKEN', 200, { value: 'w', secret: true }],
      ['PUT', '/v1/variables/{key}', '/v1/variables/NONE', 404, { value: 'w' }],
      ['DELETE', '/v1/variables/{key}', '/v1/variables/TOKEN', 204],
      ['POST', '/v1/client-certificates', '/v1/client-certificates', 201, clientCertificateBody()],
      ['GET', '/v1/client-certificates', '/v1/client-certificates', 200],
      ['GET', '/v1/client-certificates/{id}', '/v1/client-certificates/:certificate', 200],
      ['DELETE', '/v1/client-certificates/{id}', '/v1/client-certificates/:certificate', 204],
      ['GET', '/v1/runtimes', '/v1/runtimes', 200],
      ['GET', '/v1/runtimes/{id}', '/v1/runtimes/2026.04', 200],
      ['GET', '/v1/runtimes/{id}', '/v1/runtimes/1999.01', 404],
      ['GET', '/v1/accounts', '/v1/accounts', 200],
      ['GET', '/v1/accounts/me', '/v1/accounts/me', 200],
      ['GET', '/v1/accounts/{accountId}', '/v1/accounts/:account', 200],
      ['DELETE', '/v1/checks/{id}', '/v1/checks/:check', 204],
    ]

    test.each(operations)('%s %s (%s → %i)', async (method, route, url, status, payload) => {
      const filled = url.replaceAll(/:(\w+)/g, (_match, name: string) => ids[name] ?? name)
      const answer = await service.api(method, filled, payload as object | undefined)
      expect(answer.statusCode, answer.body).toBe(status)
      const body: unknown = answer.body === '' ? undefined : answer.json()
      expect(contractFaults(method, route, status, body)).toEqual([])
    })

    test('a missing key and a rate limit answer in their shapes', async () => {
      const unauthorized = await service.app.inject({ method: 'GET', url: '/v1/checks' })
      expect(contractFaults('GET', '/v1/checks', 401, unauthorized.json())).toEqual([])
      const limited = await startTestService({ rateLimitAMinute: 1 })
      await limited.api('GET', '/v1/checks')
      expect(
        contractFaults('GET', '/v1/checks', 429, (await limited.api('GET', '/v1/checks')).json()),
      ).toEqual([])
      await limited.close()
    })
  },
)

test('the service describes its own API: every route, with its schemas', async () => {
  const service = await startTestService()
  const document = (await service.app.inject({ method: 'GET', url: '/documentation/json' })).json()
  const routes = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  )
  expect(routes).toContain('post /v1/checks/api')
  expect(routes).toContain('get /v2/check-results/{checkId}')
  expect(
    document.paths['/v1/checks/api'].post.requestBody.content['application/json'].schema.required,
  ).toContain('name')
  expect((await service.app.inject({ method: 'GET', url: '/documentation' })).statusCode).toBe(200)
  await service.close()
})
