import { describe, expect, test } from 'vitest'
import { fail, observe } from '../../support/api-attempt.ts'
import { attemptOver } from '../../support/api-attempt-over.ts'
import { entry } from '../../support/api-definition.ts'
import { type Route, readCertificate, startHttpsTarget, startHttpTarget } from '../../support/http-target.ts'
import { plainDial } from '../../support/plain-dial.ts'
import { startTcpTarget } from '../../support/tcp-target.ts'

const ok: Route = (response) => response.end('ok')
const sum = (phasesUs: Readonly<Record<string, number | null>>) =>
  Object.values(phasesUs).reduce<number>((total, us) => total + (us ?? 0), 0)

describe('redirects', () => {
  const to =
    (location: string, status = 302): Route =>
    (response) =>
      response.writeHead(status, { location }).end()

  test('are followed, each hop told, and their times added', async () => {
    await using target = await startHttpTarget({ '/a': to('/b'), '/b': to('/c', 307), '/c': ok })
    const { observation, timings } = await observe(`${target.origin}/a`)
    expect(observation.hops.map(({ url, status }) => [new URL(url).pathname, status])).toEqual([
      ['/a', 302],
      ['/b', 307],
      ['/c', 200],
    ])
    expect(observation.request.url).toBe(`${target.origin}/c`)
    expect(target.connections()).toBe(3)
    expect(sum(timings.phasesUs)).toBe(timings.totalUs)
  })

  test('are answers of their own when they are not to be followed', async () => {
    await using target = await startHttpTarget({ '/': to('/b') })
    const { observation } = await observe(target.origin, { followRedirects: false })
    expect(observation.response).toMatchObject({ status: 302, headers: { location: '/b' } })
  })

  test('end after ten', async () => {
    const further: Route = (response, request) =>
      to(`/${Number(request.url.slice(1)) + 1}`)(response, request)
    const routes = Object.fromEntries(Array.from({ length: 20 }, (_, step) => [`/${step}`, further]))
    await using target = await startHttpTarget(routes)
    const outcome = await fail(`${target.origin}/0`)
    expect(outcome.cause).toMatchObject({ class: 'too-many-redirects', phase: null })
    expect(target.requests).toHaveLength(11)
    expect(outcome.evidence.hops).toHaveLength(11)
    expect(outcome.evidence.response?.status).toBe(302)
  })

  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [307, 'POST', 'POST', 'hello'],
    [308, 'POST', 'POST', 'hello'],
    [302, 'PUT', 'PUT', 'hello'],
    [303, 'DELETE', 'GET', ''],
    [301, 'HEAD', 'HEAD', ''],
  ] as const)('by %i make of %s a %s with the body %j', async (status, method, expected, body) => {
    await using target = await startHttpTarget({ '/a': to('/b', status), '/b': ok })
    const sent = method === 'HEAD' ? {} : ({ bodyType: 'RAW', body: 'hello' } as const)
    const { observation } = await observe(`${target.origin}/a`, { method, ...sent })
    expect(target.requests[1]).toMatchObject({ method: expected, url: '/b', body })
    expect(observation.hops.map((hop) => hop.method)).toEqual([method, expected])
  })

  test('tell the time, the address and the status of each hop', async () => {
    const late: Route = (...answer) => setTimeout(() => to('/b')(...answer), 100)
    await using target = await startHttpTarget({ '/a': late, '/b': ok })
    const { observation, timings } = await observe(`${target.origin}/a`)
    const [first, second] = observation.hops
    expect(first).toMatchObject({ status: 302, remoteAddress: '127.0.0.1', tls: null })
    expect(first?.addresses).toMatchObject([{ address: '127.0.0.1', fate: 'connected' }])
    expect(first?.timings.startedUs).toBe(0)
    expect(first?.timings.phasesUs.firstByte).toBeGreaterThan(95_000)
    expect(second?.timings.startedUs).toBe(first?.timings.totalUs)
    expect(second?.timings.phasesUs.firstByte).toBeLessThan(95_000)
    expect((first?.timings.totalUs ?? 0) + (second?.timings.totalUs ?? 0)).toBe(timings.totalUs)
  })

  test('to an address that cannot be requested are a failure', async () => {
    await using target = await startHttpTarget({ '/': to('ftp://a.example/') })
    expect((await fail(target.origin)).cause.class).toBe('redirect-invalid')
  })

  test('give no secret to another origin', async () => {
    await using other = await startHttpTarget({ '/': ok })
    await using target = await startHttpTarget({ '/': to(other.origin) })
    await observe(target.origin, {
      headers: [entry('Cookie', 'a=1'), entry('X-Own', '1')],
      basicAuth: { username: 'ann', password: 'secret' },
    })
    expect(target.requests[0]?.headers).toMatchObject({ cookie: 'a=1', authorization: expect.any(String) })
    expect(other.requests[0]?.headers).toMatchObject({ 'x-own': '1' })
    expect(other.requests[0]?.headers).not.toHaveProperty('cookie')
    expect(other.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test('never give it back to the origin that it was for', async () => {
    const routes: Record<string, Route> = { '/c': ok }
    await using target = await startHttpTarget(routes)
    await using other = await startHttpTarget({ '/b': to(`${target.origin}/c`) })
    routes['/a'] = to(`${other.origin}/b`)
    await observe(`${target.origin}/a`, {
      headers: [entry('X-Api-Key', '1'), entry('Host', 'virtual.example'), entry('X-Own', '1')],
      basicAuth: { username: 'ann', password: 'secret' },
    })
    expect(target.requests[0]?.headers).toMatchObject({ 'x-api-key': '1', host: 'virtual.example' })
    for (const { headers } of [...other.requests, ...target.requests.slice(1)]) {
      expect(headers).toMatchObject({ 'x-own': '1', host: expect.stringContaining('127.0.0.1') })
      expect(headers).not.toHaveProperty('authorization')
      expect(headers).not.toHaveProperty('x-api-key')
    }
  })

  test('to a target that is gone tell the way up to there', async () => {
    const gone = await startTcpTarget(() => {})
    await gone[Symbol.asyncDispose]()
    await using target = await startHttpTarget({ '/': to(gone.origin) })
    expect(await fail(target.origin)).toMatchObject({
      cause: { class: 'refused', phase: 'connect' },
      timings: { phasesUs: { download: expect.any(Number) } },
      evidence: {
        request: { url: `${gone.origin}/` },
        response: null,
        hops: [
          { status: 302, remoteAddress: '127.0.0.1' },
          { status: null, remoteAddress: null, addresses: [{ address: '127.0.0.1', fate: 'failed' }] },
        ],
      },
    })
  })
})

test('an address that was forbidden is told as tried, not as one that was reached', async () => {
  await using target = await startHttpTarget({
    '/': (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  })
  expect((await fail(target.origin)).evidence.hops).toMatchObject([
    { remoteAddress: '127.0.0.1' },
    { remoteAddress: null, addresses: [{ address: '169.254.169.254', fate: 'forbidden' }] },
  ])
})

test('an address whose TLS failed was reached', async () => {
  await using target = await startHttpsTarget('self-signed', { '/': ok })
  const { cause, evidence } = await fail(target.origin)
  expect(cause.class).toBe('tls-self-signed')
  expect(evidence.hops).toMatchObject([{ remoteAddress: '127.0.0.1' }])
})

describe('redirects in a circle', () => {
  const to =
    (location: string, headers: Record<string, string> = {}): Route =>
    (response) =>
      response.writeHead(307, { location, ...headers }).end()

  test.each([
    ['of one', { '/a': to('/a') }, 1],
    ['of three', { '/a': to('/b'), '/b': to('/c'), '/c': to('/a') }, 3],
    ['that begins later', { '/a': to('/b'), '/b': to('/c'), '/c': to('/b') }, 3],
  ])('%s are seen at once', async (_what, routes: Record<string, Route>, requests) => {
    await using target = await startHttpTarget(routes)
    const outcome = await fail(`${target.origin}/a`, { method: 'POST', bodyType: 'RAW', body: 'x' })
    expect(outcome.cause).toMatchObject({ class: 'redirect-loop', phase: null })
    expect(outcome.evidence.response?.status).toBe(307)
    expect(target.requests).toHaveLength(requests)
  })

  test('are none as long as cookies are set: the target may know us next time', async () => {
    let visits = 0
    const greet: Route = (response, request) => {
      visits += 1
      if (visits > 3) response.end('hello again')
      else to('/', { 'set-cookie': `visits=${visits}` })(response, request)
    }
    await using target = await startHttpTarget({ '/': greet })
    expect((await observe(target.origin)).observation.response.body).toBe('hello again')
  })

  test('are none when the request is another one than before', async () => {
    let visits = 0
    const back: Route = (response) => {
      visits += 1
      if (visits > 1) response.end('ok')
      else response.writeHead(303, { location: '/' }).end()
    }
    await using target = await startHttpTarget({ '/': back })
    await observe(target.origin, { method: 'POST', bodyType: 'RAW', body: 'x' })
    expect(target.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
  })
})

describe('a redirect from https to http', () => {
  const trusted = { extraCa: [readCertificate('ca')] }

  test('is a failure, and the plain target is told nothing', async () => {
    await using plain = await startHttpTarget({ '/': ok })
    const down: Route = (response) => response.writeHead(302, { location: plain.origin }).end()
    await using secure = await startHttpsTarget('valid', { '/': down })
    expect(await fail(secure.origin, {}, trusted)).toMatchObject({
      cause: { class: 'redirect-downgrade', phase: null },
      evidence: { request: { url: `${secure.origin}/` }, response: { status: 302 }, hops: [{ status: 302 }] },
    })
    expect(plain.connections()).toBe(0)
  })

  test('is followed by a check that does not rely on TLS', async () => {
    await using plain = await startHttpTarget({ '/': ok })
    const down: Route = (response) => response.writeHead(302, { location: plain.origin }).end()
    await using secure = await startHttpsTarget('self-signed', { '/': down })
    const { observation } = await observe(secure.origin, { skipSSL: true })
    expect(observation.response.body).toBe('ok')
    expect(observation.hops).toMatchObject([{ tls: { protocol: 'TLSv1.3' } }, { tls: null }])
  })

  test('is no redirect from http to https', async () => {
    await using secure = await startHttpsTarget('valid', { '/': ok })
    const up: Route = (response) => response.writeHead(302, { location: secure.origin }).end()
    await using plain = await startHttpTarget({ '/': up })
    expect((await observe(plain.origin, {}, trusted)).observation.response.body).toBe('ok')
  })
})

describe('a client certificate', () => {
  const certificate = (host: string) => ({
    host,
    certificate: '',
    key: `of ${host}`,
    passphrase: null,
    ca: null,
  })
  const clientCertificates = [certificate('*.example.com'), certificate('b.example.com')]

  test('is shown to the hosts that it is for, hop by hop', async () => {
    const next: Readonly<Record<string, string>> = {
      'a.example.com': 'https://b.example.com/',
      'b.example.com': 'https://c.test/',
      'c.test': 'https://c.test/end',
    }
    await using target = await startHttpTarget({
      '/': (response, { headers }) => response.writeHead(302, { location: next[headers.host ?? ''] }).end(),
      '/end': ok,
    })
    const { dial, targets } = plainDial({ port: target.port })
    await attemptOver('https://a.example.com/', {}, { dial, clientCertificates })
    expect(targets.map(({ tls }) => [tls?.name, tls?.clientCertificate?.key ?? null])).toEqual([
      ['a.example.com', 'of *.example.com'],
      ['b.example.com', 'of b.example.com'],
      ['c.test', null],
      ['c.test', null],
    ])
  })

  test('is for the host that TLS speaks with, by the Host header where there is one', async () => {
    await using target = await startHttpTarget({ '/': ok })
    const { dial, targets } = plainDial({ port: target.port })
    const headers = [entry('Host', 'b.example.com:8443')]
    await attemptOver('https://192.0.2.1/', { headers }, { dial, clientCertificates })
    expect(targets).toMatchObject([
      {
        hostname: '192.0.2.1',
        tls: { name: 'b.example.com', clientCertificate: { key: 'of b.example.com' } },
      },
    ])
  })
})
