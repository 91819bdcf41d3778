import { once } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { AppError } from '../../../src/lib/app-error.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createEgressPolicy } from '../../../src/rules/egress/egress-policy.ts'
import { type EgressRules, parseEgressRules } from '../../../src/rules/egress/egress-rules.ts'
import type { DialerOptions, DialTarget } from '../../../src/runner/dial/dial.ts'
import { type ProxySettings, parseProxyUrl } from '../../../src/runner/dial/proxy-url.ts'
import { createResolver } from '../../../src/runner/dial/resolve.ts'
import { failureOf } from '../../../src/runner/failures.ts'
import { startBlackHole } from '../../support/black-hole.ts'
import { beginDial, type Dialed, dialed, dialer } from '../../support/dialed.ts'
import { startDnsTarget } from '../../support/dns-target.ts'
import { freePort } from '../../support/free-port.ts'
import { closedAgain, openNow } from '../../support/open-now.ts'
import { startProxy } from '../../support/proxy.ts'
import { answerRaw, startTcpTarget } from '../../support/tcp-target.ts'
import { pem, startTlsTarget } from '../../support/tls-target.ts'

function settings(url: string): ProxySettings {
  const parsed = parseProxyUrl(url)
  if ('fault' in parsed) throw new Error(parsed.fault)
  return parsed.settings
}

function through(url: string, options: Partial<DialerOptions> = {}) {
  return dialer({ proxy: () => settings(url), extraCa: [pem('ca')], ...options })
}

const secure: Pick<DialTarget, 'tls' | 'hostname'> = {
  hostname: 'localhost',
  tls: { name: 'localhost', verify: true, clientCertificate: null },
}

async function echoed({ connection }: Dialed): Promise<string> {
  const socket = connection?.socket
  if (!socket) throw new Error('no connection')
  socket.write('echo')
  const [data] = await once(socket, 'data')
  socket.destroy()
  return String(data)
}

const echo = { onConnection: (socket: NodeJS.ReadWriteStream) => void socket.pipe(socket) }

const causeOf = (error: Error | null) => {
  try {
    failureOf(error, 'connect')
  } catch (fault) {
    return fault
  }
  return null
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a proxy', () => {
  test.each([
    ['http', {}, ''],
    ['http', { credentials: 'user:p@ss' }, 'user:p%40ss@'],
    ['https', { certificate: 'valid' }, ''],
    ['https', { certificate: 'valid', credentials: 'a:b' }, 'a:b@'],
  ])('of %s opens a tunnel to a secure target: %j', async (scheme, options, userInfo) => {
    await using target = await startTlsTarget(echo)
    await using proxy = await startProxy(options)
    const dial = through(`${scheme}://${userInfo}127.0.0.1:${proxy.port}`)
    const before = openNow()
    const result = await dialed(dial, { port: target.port, ...secure })
    expect(result.error).toBeNull()
    expect(result.connection).toMatchObject({ forwarder: null, proxied: true })
    expect(result.phases).toEqual(['connect', 'tls'])
    expect(result.proxied).toBe(true)
    expect(result.tls).toMatchObject({ protocol: 'TLSv1.3' })
    expect(await echoed(result)).toBe('echo')
    expect(proxy.asked).toEqual([`CONNECT localhost:${target.port}`])
    expect(target.serverNames).toEqual(['localhost'])
    await closedAgain(before)
  })

  test.each([
    ['', null],
    ['user:pass@', `Basic ${Buffer.from('user:pass').toString('base64')}`],
  ])('with the user info %j is handed on as it is for a plain target', async (userInfo, authorization) => {
    await using proxy = await startProxy()
    const dial = through(`http://${userInfo}127.0.0.1:${proxy.port}`)
    const { connection, phases, tried } = await dialed(dial, { port: 80, hostname: 'nowhere.invalid' })
    expect(connection).toMatchObject({ forwarder: { authorization }, proxied: true })
    expect(connection?.socket.remotePort).toBe(proxy.port)
    expect(phases).toEqual(['connect'])
    expect(tried).toMatchObject([{ address: '127.0.0.1', fate: 'connected' }])
    expect(proxy.asked).toEqual([])
    connection?.socket.destroy()
  })

  test('over TLS is handed on secured for a plain target', async () => {
    await using proxy = await startProxy({ certificate: 'valid' })
    const { connection, tls } = await dialed(through(`https://localhost:${proxy.port}`), { port: 80 })
    expect(connection?.socket).toMatchObject({ encrypted: true })
    expect(tls).toBeNull()
    connection?.socket.destroy()
  })

  test('is looked up by its name, in the phase dns, and then raced', async () => {
    await using dns = await startDnsTarget({ 'proxy.test': { addresses: ['::1', '127.0.0.1'], ttl: 60 } })
    await using target = await startTlsTarget(echo)
    await using proxy = await startProxy()
    const files = { hostsFile: '/nowhere/hosts', resolvConf: '/nowhere/resolv.conf' }
    const resolve = createResolver({ clock: systemClock, nameServers: [dns.nameServer], ...files })
    const dial = through(`http://proxy.test:${proxy.port}`, { resolve })
    const result = await dialed(dial, { port: target.port, ...secure, hostname: 'target.test' })
    expect(result.error).toBeNull()
    expect(result.phases).toEqual(['dns', 'connect', 'tls'])
    expect(result.tried).toMatchObject([
      { address: '::1', fate: 'failed' },
      { address: '127.0.0.1', fate: 'connected' },
    ])
    expect(dns.asked).toEqual(['proxy.test', 'proxy.test'])
    expect(await echoed(result)).toBe('echo')
  })

  test('is asked for an address of IPv6 in brackets', async () => {
    await using proxy = await startProxy({ refuseWith: 503 })
    await dialed(through(`http://127.0.0.1:${proxy.port}`), { port: 443, ...secure, hostname: '2001:db8::1' })
    expect(proxy.asked).toEqual(['CONNECT [2001:db8::1]:443'])
  })

  test('leaves in the tunnel what came with its answer', async () => {
    await using target = await startTcpTarget(() => {})
    await using proxy = await startProxy({ early: 'not TLS at all' })
    const { error } = await dialed(through(`http://127.0.0.1:${proxy.port}`), {
      port: target.port,
      ...secure,
    })
    expect(failureOf(error, 'tls')).toMatchObject({ class: 'tls-handshake' })
  })

  test.each([
    [403, 'HTTP 403'],
    [502, 'HTTP 502'],
    [503, 'HTTP 503'],
    [504, 'HTTP 504'],
    [302, 'HTTP 302'],
  ])('that answers %i refuses the target', async (refuseWith, code) => {
    await using proxy = await startProxy({ refuseWith })
    const before = openNow()
    const result = await dialed(through(`http://127.0.0.1:${proxy.port}`), { port: 443, ...secure })
    expect(failureOf(result.error, 'connect')).toEqual({
      class: 'proxy-refused',
      code,
      message: 'The proxy did not open a way to the target',
      phase: 'connect',
    })
    await closedAgain(before)
  })

  test('that cannot reach the target refuses it', async () => {
    await using proxy = await startProxy()
    const port = await freePort()
    const { error } = await dialed(through(`http://127.0.0.1:${proxy.port}`), { port, ...secure })
    expect(failureOf(error, 'connect')).toMatchObject({ class: 'proxy-refused', code: 'HTTP 502' })
  })

  test('that does not accept the credentials is our own fault, and they are told to nobody', async () => {
    await using proxy = await startProxy({ credentials: 'user:right' })
    const dial = through(`http://user:wrong-one@127.0.0.1:${proxy.port}`)
    const { error } = await dialed(dial, { port: 443, ...secure })
    expect(causeOf(error)).toMatchObject({
      code: 'PROXY_UNUSABLE',
      message: 'The proxy of the location cannot be used',
      cause: { told: 'HTTP 407' },
    })
    expect(`${error?.stack} ${JSON.stringify(error)}`).not.toContain('wrong-one')
  })

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['an interim answer only', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['a head that is too long', `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}\r\n`],
    ['nothing', ''],
    ['half a head', 'HTTP/1.1 200 OK\r\n'],
  ])('that answers %s is our own fault', async (_what, answer) => {
    await using server = await startTcpTarget(answerRaw(answer))
    const before = openNow()
    const { error } = await dialed(through(`http://127.0.0.1:${server.port}`), { port: 443, ...secure })
    expect(causeOf(error)).toMatchObject({ code: 'PROXY_UNUSABLE', cause: expect.any(Error) })
    await closedAgain(before)
  })

  test('whose answer never ends is our own fault', async () => {
    await using server = await startTcpTarget((socket) => {
      socket.resume().write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`)
    })
    const before = openNow()
    const { error } = await dialed(through(`http://127.0.0.1:${server.port}`), { port: 443, ...secure })
    expect(causeOf(error)).toMatchObject({ code: 'PROXY_UNUSABLE' })
    await closedAgain(before)
  })

  test('that refuses the target is not kept waiting', async () => {
    await using server = await startTcpTarget((socket) => {
      socket.resume().write('HTTP/1.1 503 Service Unavailable\r\n\r\n')
    })
    const before = openNow()
    const { error } = await dialed(through(`http://127.0.0.1:${server.port}`), { port: 443, ...secure })
    expect(error).toMatchObject({ code: 'PROXY_REFUSED' })
    await closedAgain(before)
  })

  test.each([
    ['that nobody listens for', async () => `http://127.0.0.1:${await freePort()}`, 'ECONNREFUSED'],
    ['whose name does not exist', async () => 'http://a..invalid:3128', 'EBADNAME'],
  ])('%s is our own fault', async (_what, url, code) => {
    const { error } = await dialed(through(await url()), { port: 443, ...secure })
    expect(causeOf(error)).toMatchObject({ code: 'PROXY_UNUSABLE', cause: { code } })
  })

  test.each([
    ['expired', 'CERT_HAS_EXPIRED'],
    ['wrong-host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('whose certificate is %s is our own fault', async (certificate, code) => {
    await using proxy = await startProxy({ certificate })
    const { error, tls } = await dialed(through(`https://localhost:${proxy.port}`), { port: 80 })
    expect(causeOf(error)).toMatchObject({ code: 'PROXY_UNUSABLE', cause: { code } })
    expect(tls).toBeNull()
  })

  test('that cannot be told is what the dialing fails by', async () => {
    const fault = new AppError('PROXY_UNUSABLE', 'The proxy of the location cannot be used')
    const dial = dialer({
      proxy: () => {
        throw fault
      },
    })
    expect((await dialed(dial, { port: 80 })).error).toBe(fault)
  })

  test('that does not take the connection within 10 s is our own fault', async () => {
    await using hole = await startBlackHole()
    const before = openNow()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const dialing = beginDial(through(`http://127.0.0.1:${hole.port}`), { port: 443, ...secure })
    vi.advanceTimersByTime(9999)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1)
    const { error, tried } = await dialing.ended
    expect(causeOf(error)).toMatchObject({ code: 'PROXY_UNUSABLE' })
    expect(tried).toMatchObject([{ fate: 'abandoned' }])
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
    await closedAgain(before)
  })

  test('may take as long as the attempt to reach the target, and leaves nothing behind when that is over', async () => {
    await using server = await startTcpTarget((socket) => socket.resume())
    const before = openNow()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const dialing = beginDial(through(`http://127.0.0.1:${server.port}`), { port: 443, ...secure })
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0))
    const enough = new Error('enough')
    dialing.stop(enough)
    expect((await dialing.ended).error).toBe(enough)
    vi.useRealTimers()
    await closedAgain(before)
  })
})

describe('through a proxy', () => {
  const rules = (text: string): EgressRules => {
    const parsed = parseEgressRules(text)
    if ('fault' in parsed) throw new Error(parsed.fault)
    return parsed.rules
  }

  test.each([
    ['169.254.169.254', '', '', '169.254.169.254'],
    ['::ffff:169.254.169.254', '', '', '::ffff:169.254.169.254'],
    ['metadata.google.internal', '', '', null],
    ['db.internal', '', '*.internal', null],
    ['db.internal', '10.0.0.0/8', '', null],
    ['10.0.0.1', '', '10.0.0.0/8', '10.0.0.1'],
  ])('the target %s is refused before the proxy is reached', async (hostname, allow, deny, address) => {
    await using proxy = await startProxy()
    const egress = createEgressPolicy({ allow: rules(allow), deny: rules(deny) })
    const dial = through(`http://127.0.0.1:${proxy.port}`, { egress })
    const { error, tried } = await dialed(dial, { port: 443, ...secure, hostname })
    expect(error).toMatchObject({ code: 'EGRESS_FORBIDDEN', address })
    expect(tried.map(({ fate }) => fate)).toEqual(address === null ? [] : ['forbidden'])
    expect(proxy.asked).toEqual([])
  })

  test('the address of the proxy is not judged: it is the operator’s', async () => {
    await using proxy = await startProxy()
    const egress = createEgressPolicy({ allow: rules('a.example'), deny: rules('127.0.0.0/8') })
    const dial = through(`http://127.0.0.1:${proxy.port}`, { egress })
    const { connection } = await dialed(dial, { port: 80, hostname: 'a.example' })
    expect(connection?.proxied).toBe(true)
    connection?.socket.destroy()
  })
})
