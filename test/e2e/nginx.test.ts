import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { freePort } from '../support/free-port.ts'
import { type NginxTarget, nginxIsHere, skippedWithoutNginx, startNginx } from '../support/nginx-target.ts'
import { type RunningUp, startUp, temporaryDataDir } from '../support/up.ts'

interface Expected {
  readonly request: Record<string, unknown>
  readonly check?: Record<string, unknown>
  readonly status: { readonly hasFailures: boolean; readonly isDegraded?: boolean }
  /** A part of what the newest result says. */
  readonly result: Record<string, unknown>
}

const verdict = (reason: string) => ({
  diagnosis: { verdict: { reasons: [expect.stringContaining(reason)] } },
})

describe.skipIf(!nginxIsHere)(
  `checks on a real nginx, through the whole of picket up${skippedWithoutNginx}`,
  () => {
    let nginx: NginxTarget
    let up: RunningUp
    let removeData: () => Promise<void>

    beforeAll(async () => {
      nginx = await startNginx()
      const { dir, remove } = await temporaryDataDir()
      removeData = remove
      // It asks more often than people do.
      up = await startUp(dir, { PICKET_RATE_LIMIT: '6000' })
    })
    afterAll(async () => {
      expect(await up.stop()).toBe(0)
      await nginx.stop()
      await removeData()
    })

    const cases: Record<string, () => Promise<Expected>> = {
      'passes on status, JSON body and header': async () => ({
        request: {
          url: `${nginx.http}/health`,
          assertions: [
            { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
            { source: 'JSON_BODY', property: '$.items.length', comparison: 'EQUALS', target: '3' },
            { source: 'HEADERS', property: 'content-type', comparison: 'CONTAINS', target: 'json' },
            { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '5000' },
          ],
        },
        status: { hasFailures: false },
        result: {
          apiCheckResult: {
            response: { status: 200, timingPhases: { dns: null, tls: null, tcp: expect.any(Number) } },
          },
          diagnosis: { assertions: [{ holds: true }, { holds: true }, { holds: true }, { holds: true }] },
        },
      }),
      'follows a redirect, and every hop is told': async () => ({
        request: { url: `${nginx.http}/moved` },
        status: { hasFailures: false },
        result: { diagnosis: { hops: [{ status: 302 }, { status: 200 }] } },
      }),
      'stays where it is when redirects are not followed': async () => ({
        request: { url: `${nginx.http}/moved`, followRedirects: false },
        status: { hasFailures: false },
        result: { apiCheckResult: { response: { status: 302 } } },
      }),
      'reads a gzipped body': async () => ({
        request: {
          url: `${nginx.http}/packed.json`,
          assertions: [{ source: 'JSON_BODY', property: '$.packed', comparison: 'EQUALS', target: 'true' }],
        },
        status: { hasFailures: false },
        result: { apiCheckResult: { response: { headers: { 'content-encoding': 'gzip' } } } },
      }),
      'comes in with basic auth, and the password is nowhere in the result': async () => ({
        request: { url: `${nginx.http}/private`, basicAuth: { username: 'ann', password: 's3cret' } },
        status: { hasFailures: false },
        result: { apiCheckResult: { request: { headers: { authorization: '<redacted>' } } } },
      }),
      'sends method, query, header and body as asked': async () => ({
        request: {
          method: 'POST',
          url: `${nginx.http}/echo`,
          queryParameters: [{ key: 'a', value: '1 2' }],
          headers: [{ key: 'X-Test', value: 'yes' }],
          bodyType: 'JSON',
          body: '{"a":1}',
          assertions: [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'yes application/json' }],
        },
        status: { hasFailures: false },
        result: {
          apiCheckResult: {
            request: { method: 'POST' },
            response: { body: expect.stringContaining('POST a=1') },
          },
        },
      }),
      'speaks TLS when the certificate is not to be verified, and times the handshake': async () => ({
        request: { url: `${nginx.https}/health`, skipSSL: true },
        status: { hasFailures: false },
        result: {
          diagnosis: { timings: { phasesUs: { tls: expect.any(Number) } }, tls: { protocol: 'TLSv1.3' } },
        },
      }),
      'fails on a certificate that nobody vouches for': async () => ({
        request: { url: `${nginx.https}/health` },
        status: { hasFailures: true },
        result: { diagnosis: { kind: 'unreachable', cause: { class: 'tls-issuer-missing', phase: 'tls' } } },
      }),
      'is degraded by a slow answer': async () => ({
        request: { url: `${nginx.http}/slow.txt` },
        check: { degradedResponseTime: 300, maxResponseTime: 20_000 },
        status: { hasFailures: false, isDegraded: true },
        result: { isDegraded: true, overMaxResponseTime: false, ...verdict('degradedResponseTime') },
      }),
      'fails on an answer slower than allowed': async () => ({
        request: { url: `${nginx.http}/slow.txt` },
        check: { degradedResponseTime: 100, maxResponseTime: 300 },
        status: { hasFailures: true },
        result: { overMaxResponseTime: true, ...verdict('maxResponseTime') },
      }),
      'fails on an assertion, and says what was expected and what was there': async () => ({
        request: {
          url: `${nginx.http}/health`,
          assertions: [
            { source: 'JSON_BODY', property: '$.items.length', comparison: 'GREATER_THAN', target: '3' },
          ],
        },
        status: { hasFailures: true },
        result: verdict('expected $.items.length GREATER_THAN 3, was 3'),
      }),
      'fails on a status of 400 or above': async () => ({
        request: { url: `${nginx.http}/nothing` },
        status: { hasFailures: true },
        result: verdict('404'),
      }),
      'passes on a status of 400 or above with shouldFail': async () => ({
        request: { url: `${nginx.http}/nothing` },
        check: { shouldFail: true },
        status: { hasFailures: false },
        result: { apiCheckResult: { response: { status: 404 } } },
      }),
      'fails on a port that refuses': async () => ({
        request: { url: `http://127.0.0.1:${await freePort()}/` },
        status: { hasFailures: true },
        result: {
          apiCheckResult: { requestError: expect.stringContaining('refused') },
          diagnosis: { cause: { class: 'refused', code: 'ECONNREFUSED', phase: 'connect' } },
        },
      }),
      'fails on a name that does not exist': async () => ({
        request: { url: 'http://no-such-host.invalid/' },
        status: { hasFailures: true },
        result: { diagnosis: { cause: { class: expect.stringMatching(/^dns-/), phase: 'dns' } } },
      }),
    }

    test.concurrent.for(Object.entries(cases))('%s', async ([name, build], { expect }) => {
      const { request, check, status, result } = await build()
      const body = apiCheckBody({ name, ...check, request: { method: 'GET', ...request } })
      const { id } = await up.post<{ id: string }>('/v1/checks/api', body)
      expect(await up.untilStatus(id, () => true)).toMatchObject({ hasErrors: false, ...status })
      const [newest] = await up.results(id)
      expect(newest).toMatchObject(result)
      expect(JSON.stringify(newest)).not.toContain('s3cret')
    })

    test.for([
      ['/health', 'EQUALS', '200', false],
      ['/moved', 'EQUALS', '200', false],
      ['/health', 'GREATER_THAN', '299', true],
      ['/no-such-page', 'EQUALS', '200', true],
    ] as const)(
      'a URL check of %s, status %s %s, has failures: %s',
      async ([path, comparison, target, fails]) => {
        const assertions = [{ source: 'STATUS_CODE', comparison, target }]
        const body = { name: path, locations: ['eu-west-1'], frequency: 10, maxResponseTime: 5000 }
        const request = { url: `${nginx.http}${path}`, assertions }
        const { id } = await up.post<{ id: string }>('/v1/checks/url', { ...body, request })
        await up.post('/v1/check-sessions/trigger', { target: { checkId: [id] } })
        expect(await up.untilStatus(id, () => true)).toMatchObject({ hasErrors: false, hasFailures: fails })
        const [newest] = await up.results(id)
        expect(newest).toMatchObject({
          apiCheckResult: { response: { status: path === '/no-such-page' ? 404 : 200 } },
        })
      },
    )

    test('goes down and recovers', async () => {
      const request = { method: 'GET', url: `${nginx.http}/health` }
      const { id } = await up.post<{ id: string }>(
        '/v1/checks/api',
        apiCheckBody({ name: 'down and up', request }),
      )
      await up.untilStatus(id, ({ hasFailures }) => !hasFailures)
      await nginx.setDown(true)
      await up.untilStatus(id, ({ hasFailures }) => hasFailures)
      await nginx.setDown(false)
      await up.untilStatus(id, ({ hasFailures }) => !hasFailures)
    })
  },
)
