import { describe, expect, test } from 'vitest'
import type { ApiEvidence, ReceivedResponse } from '../../src/contract/checks/api/observation.ts'
import type { Outcome } from '../../src/contract/outcome.ts'
import { capForReport, maxStoredBytes } from '../../src/runner/cap-for-report.ts'
import { failure } from '../../src/runner/failures.ts'

const timings = {
  startedAt: 0,
  totalUs: 0,
  phasesUs: { dns: null, connect: null, tls: null, send: null, firstByte: null, download: null },
}

const response: ReceivedResponse = {
  status: 200,
  statusText: 'OK',
  httpVersion: '1.1',
  headers: {},
  body: 'ok',
  bodyBytes: 2,
  truncated: false,
}

function observed(request: Partial<ApiEvidence['request']>, more: Partial<ReceivedResponse> = {}): Outcome {
  return {
    kind: 'observed',
    timings,
    observation: {
      request: { method: 'GET', url: 'http://a.example/', headers: {}, body: '', ...request },
      response: { ...response, ...more },
      hops: [{ url: 'http://user:hunter2@a.example/', status: 200, remoteAddress: null }],
      tls: null,
    },
  }
}

function reported(body: string) {
  const outcome = capForReport(observed({}, { body }))
  return outcome.kind === 'observed' ? outcome.observation.response : null
}

describe('capForReport', () => {
  test('leaves a body up to the cap as it is', () => {
    const body = 'é'.repeat(maxStoredBytes / 2)
    expect(reported(body)).toMatchObject({ body, truncated: false })
  })

  test('cuts a longer body between characters and says so', () => {
    const capped = reported(`x${'é'.repeat(maxStoredBytes / 2)}`)
    expect(capped?.truncated).toBe(true)
    expect(capped?.body).toBe(`x${'é'.repeat(maxStoredBytes / 2 - 1)}`)
  })

  test('keeps a body that is null', () => {
    const outcome = observed({})
    if (outcome.kind === 'observed') outcome.observation.response.body = null
    expect(capForReport(outcome)).toMatchObject({
      observation: { response: { body: null, truncated: false } },
    })
  })

  test.each([
    'Authorization',
    'cookie',
    'Proxy-Authorization',
    'x-api-key',
    'X-Auth-Token',
    'X-Amz-Security-Token',
    'client_secret',
  ])('scrubs the header %s', (name) => {
    const text = JSON.stringify(capForReport(observed({ headers: { [name]: 'hunter2', accept: 'x' } })))
    expect(text).not.toContain('hunter2')
    expect(text).toContain(`"${name}":"<redacted>"`)
    expect(text).toContain('"accept":"x"')
  })

  test('leaves a header alone that only looks like a sensitive one', () => {
    const headers = { 'x-author': 'Ann', 'www-authenticate': 'Basic' }
    expect(capForReport(observed({ headers }))).toMatchObject({ observation: { request: { headers } } })
  })

  test('scrubs every Set-Cookie, and passwords in URLs wherever they stand', () => {
    const headers = { 'set-cookie': ['a=hunter2', 'b=hunter2'], location: 'https://user:hunter2@b.example/' }
    const outcome = capForReport(observed({ url: 'http://user:hunter2@a.example/?at=1' }, { headers }))
    expect(JSON.stringify(outcome)).not.toContain('hunter2')
    expect(outcome).toMatchObject({
      observation: {
        request: { url: 'http://user:<redacted>@a.example/?at=1' },
        response: { headers: { location: 'https://user:<redacted>@b.example/' } },
      },
    })
  })

  test('leaves out a header that JSON readers take for an attack: one target must not spoil a batch of results', () => {
    const headers = JSON.parse('{"__proto__":"x","constructor":"y"}')
    expect(JSON.stringify(capForReport(observed({}, { headers })))).not.toContain('__proto__')
    expect(capForReport(observed({}, { headers }))).toMatchObject({
      observation: { response: { headers: { constructor: 'y' } } },
    })
  })

  test('scrubs what a failed attempt leaves behind as well', () => {
    const request = { method: 'GET', url: 'http://u:hunter2@a', headers: { cookie: 'hunter2' }, body: '' }
    const evidence = {
      request,
      response: { ...response, headers: { 'set-cookie': 'hunter2' } },
      hops: [],
      tls: null,
    }
    const outcome = capForReport({
      kind: 'unreachable',
      timings,
      cause: failure('truncated', 'download'),
      evidence,
    })
    expect(JSON.stringify(outcome)).not.toContain('hunter2')
  })
})
