import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import type { FailureClass } from '../../../src/contract/failure.ts'
import type { DialTarget, TlsTarget } from '../../../src/runner/dial/dial.ts'
import { failureOf } from '../../../src/runner/failures.ts'
import { beginDial, type Dialed, dialed, dialer } from '../../support/dialed.ts'
import { closedAgain, openNow } from '../../support/open-now.ts'
import { answerRaw, startTcpTarget } from '../../support/tcp-target.ts'
import { pem, startTlsTarget } from '../../support/tls-target.ts'

const run = promisify(execFile)
const extraCa = [pem('ca'), pem('root')]
const trusting = dialer({ extraCa })
const [shortLeaf = '', shortIssuer = ''] = pem('short-chain').split(/(?<=END CERTIFICATE-----\n)/)

function secure(tls: Partial<TlsTarget> = {}): Pick<DialTarget, 'tls'> {
  return { tls: { name: 'localhost', verify: true, clientCertificate: null, ...tls } }
}

function daysUntil(year: number): number {
  return Math.floor((Date.UTC(year, 0, 1) - Date.now()) / 86_400_000)
}

const classOf = ({ error, phases }: Dialed) => error && failureOf(error, phases.at(-1) ?? null).class

describe('a TLS connection', () => {
  test('tells protocol, cipher, the protocol agreed on and the days of the certificate', async () => {
    await using target = await startTlsTarget({ ALPNProtocols: ['h2', 'http/1.1'] })
    const { connection, tls, phases } = await dialed(trusting, { port: target.port, ...secure() })
    expect(tls).toEqual({
      protocol: 'TLSv1.3',
      cipher: expect.stringMatching(/^TLS_/),
      alpn: 'http/1.1',
      daysRemaining: daysUntil(2124),
      firstExpiryAt: expect.toSatisfy((at: number) => new Date(at).getUTCFullYear() === 2124),
    })
    expect(phases).toEqual(['connect', 'tls'])
    connection?.socket.destroy()
  })

  test('is ready to be spoken over', async () => {
    await using target = await startTlsTarget({ onConnection: (socket) => socket.pipe(socket) })
    const { connection } = await dialed(trusting, { port: target.port, ...secure() })
    connection?.socket.write('echo')
    expect(String(await once(connection?.socket ?? process, 'data'))).toBe('echo')
    connection?.socket.destroy()
  })

  test('is not undone by a stop that comes late', async () => {
    await using target = await startTlsTarget()
    const { stop, ended } = beginDial(trusting, { port: target.port, ...secure() })
    const { connection } = await ended
    stop(new Error('late'))
    expect(connection?.socket.destroyed).toBe(false)
    connection?.socket.destroy()
  })

  test('says that no protocol was agreed on where the target chooses none', async () => {
    await using target = await startTlsTarget()
    const { connection, tls } = await dialed(trusting, { port: target.port, ...secure() })
    expect(tls?.alpn).toBeNull()
    connection?.socket.destroy()
  })

  test('tells the target the name that is asked for, and none where that is an address', async () => {
    await using target = await startTlsTarget()
    const byName = await dialed(trusting, { port: target.port, ...secure({ name: 'virtual.example' }) })
    await vi.waitFor(() => expect(target.serverNames).toEqual(['virtual.example']))
    const byAddress = await dialed(trusting, { port: target.port, ...secure({ name: '127.0.0.1' }) })
    await vi.waitFor(() => expect(target.serverNames).toEqual(['virtual.example', false]))
    for (const { connection } of [byName, byAddress]) connection?.socket.destroy()
  })

  test('counts the days of an intermediate certificate that expires first', async () => {
    await using target = await startTlsTarget({ cert: pem('short-chain') })
    const { connection, tls } = await dialed(trusting, { port: target.port, ...secure() })
    expect(tls?.daysRemaining).toBe(daysUntil(2060))
    connection?.socket.destroy()
  })

  test('counts the days of an authority that is trusted and was not sent, and only where it is trusted', async () => {
    await using target = await startTlsTarget({ cert: shortLeaf })
    const trustingMore = dialer({ extraCa: [...extraCa, shortIssuer] })
    const days = []
    for (const dial of [trusting, trustingMore, trusting]) {
      const { connection, tls } = await dialed(dial, { port: target.port, ...secure({ verify: false }) })
      days.push(tls?.daysRemaining)
      connection?.socket.destroy()
    }
    expect(days).toEqual([daysUntil(2124), daysUntil(2060), daysUntil(2124)])
  })

  test('counts the days of the certificates that came along this time, not of those that came before', async () => {
    const days = []
    for (const cert of [shortLeaf, pem('short-chain'), shortLeaf]) {
      await using target = await startTlsTarget({ cert })
      const { connection, tls } = await dialed(trusting, { port: target.port, ...secure({ verify: false }) })
      days.push(tls?.daysRemaining)
      connection?.socket.destroy()
    }
    expect(days).toEqual([daysUntil(2124), daysUntil(2060), daysUntil(2124)])
  })

  test('is verified each time, however well its certificate is known', async () => {
    await using target = await startTlsTarget()
    const outcomes = []
    for (const [dial, name] of [
      [trusting, 'localhost'],
      [trusting, 'other.example'],
      [dialer(), 'localhost'],
      [trusting, 'localhost'],
    ] as const) {
      const { connection, error, tls } = await dialed(dial, { port: target.port, ...secure({ name }) })
      outcomes.push([error && 'code' in error ? error.code : error, tls?.daysRemaining])
      connection?.socket.destroy()
    }
    expect(outcomes).toEqual([
      [null, daysUntil(2124)],
      ['ERR_TLS_CERT_ALTNAME_INVALID', daysUntil(2124)],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', daysUntil(2124)],
      [null, daysUntil(2124)],
    ])
  })

  test('tells the days of a chain of many certificates, too', async () => {
    const cert = pem('chain-leaf', ...Array.from({ length: 20 }, () => 'intermediate' as const))
    await using target = await startTlsTarget({ cert })
    const { connection, tls } = await dialed(trusting, { port: target.port, ...secure() })
    expect(tls?.daysRemaining).toBe(daysUntil(2124))
    connection?.socket.destroy()
  })

  test('holds over a chain that is complete', async () => {
    await using target = await startTlsTarget({ cert: pem('chain-leaf', 'intermediate') })
    const { connection, error } = await dialed(trusting, { port: target.port, ...secure() })
    expect(error).toBeNull()
    connection?.socket.destroy()
  })

  test.each<[what: string, cert: string, trust: string[], FailureClass, code: string]>([
    ['expired', pem('expired'), extraCa, 'tls-expired', 'CERT_HAS_EXPIRED'],
    ['not valid yet', pem('not-yet-valid'), extraCa, 'tls-not-yet-valid', 'CERT_NOT_YET_VALID'],
    ["another host's", pem('wrong-host'), extraCa, 'tls-hostname', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['self-signed', pem('self-signed'), extraCa, 'tls-self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [
      'without its issuer',
      pem('chain-leaf'),
      extraCa,
      'tls-issuer-missing',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    ['of an unknown issuer', pem('valid'), [], 'tls-issuer-missing', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    [
      'of a chain without its end',
      pem('chain-leaf', 'intermediate'),
      [],
      'tls-issuer-missing',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ],
    [
      'of a root that nobody trusts',
      pem('chain-leaf', 'intermediate', 'root'),
      [],
      'tls-untrusted',
      'SELF_SIGNED_CERT_IN_CHAIN',
    ],
  ])(
    'fails over a certificate that is %s, and tells its facts',
    async (_what, cert, trust, expected, code) => {
      await using target = await startTlsTarget({ cert })
      const failed = await dialed(dialer({ extraCa: trust }), { port: target.port, ...secure() })
      expect(failed.error).toMatchObject({ code })
      expect(classOf(failed)).toBe(expected)
      expect(failed.tls).toMatchObject({ protocol: 'TLSv1.3', daysRemaining: expect.any(Number) })
    },
  )

  test('tells by how many days a certificate has expired', async () => {
    await using target = await startTlsTarget({ cert: pem('expired') })
    const { tls } = await dialed(trusting, { port: target.port, ...secure() })
    expect(tls?.daysRemaining).toBe(daysUntil(2025))
  })

  test.each(['expired', 'not-yet-valid', 'wrong-host', 'self-signed', 'chain-leaf'])(
    'takes the certificate %s when it need not be verified, and still tells its facts',
    async (cert) => {
      await using target = await startTlsTarget({ cert: pem(cert) })
      const { connection, tls } = await dialed(dialer(), { port: target.port, ...secure({ verify: false }) })
      expect(tls?.daysRemaining).toEqual(expect.any(Number))
      connection?.socket.destroy()
    },
  )

  test.each(['X25519MLKEM768', 'X25519', 'P-256', 'P-384', 'P-521', 'X448', 'ffdhe2048'])(
    'is made with a target that offers the group %s only',
    async (ecdhCurve) => {
      await using target = await startTlsTarget({ ecdhCurve })
      const { connection, error } = await dialed(trusting, { port: target.port, ...secure() })
      expect(error).toBeNull()
      connection?.socket.destroy()
    },
  )

  test.each([
    ['the hybrid group, as OpenSSL 3.5 does by itself', 'auto'],
    ['X25519', 'X25519'],
  ])('takes one round trip with a target that prefers %s', async (_what, ecdhCurve) => {
    await using target = await startTlsTarget({ ecdhCurve })
    let flights = 0
    await using relay = await startTcpTarget((client) => {
      const server = connect(target.port, '127.0.0.1')
      client.on('data', () => {
        flights += 1
      })
      client.pipe(server).pipe(client)
      client.on('close', () => server.destroy())
    })
    const dialing = beginDial(trusting, { port: relay.port, ...secure() })
    const { connection } = await dialing.ended
    expect(connection).not.toBeNull()
    // The client's second flight, its Finished, is of the same moment.
    expect(flights).toBe(1)
    connection?.socket.destroy()
  })

  test('fails as a handshake with a target that does not speak TLS', async () => {
    await using target = await startTcpTarget(answerRaw('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const failed = await dialed(trusting, { port: target.port, ...secure() })
    expect(classOf(failed)).toBe('tls-handshake')
    expect(failed.tls).toBeNull()
  })

  test('fails as a handshake with a target that has no protocol in common', async () => {
    await using target = await startTlsTarget({ ALPNProtocols: ['h2'] })
    expect(classOf(await dialed(trusting, { port: target.port, ...secure() }))).toBe('tls-handshake')
  })

  test.each(['end', 'resetAndDestroy'] as const)(
    'fails as reset when the target leaves: %s',
    async (leave) => {
      await using target = await startTcpTarget((socket) => socket.once('data', () => socket[leave]()))
      expect(classOf(await dialed(trusting, { port: target.port, ...secure() }))).toBe('reset')
    },
  )

  test('leaves nothing behind when it is stopped during the handshake', async () => {
    await using target = await startTcpTarget((socket) => socket.resume())
    const before = openNow()
    const dialing = beginDial(trusting, { port: target.port, ...secure() })
    await vi.waitFor(() => expect(dialing.phases).toContain('tls'))
    const enough = new Error('enough')
    dialing.stop(enough)
    expect((await dialing.ended).error).toBe(enough)
    await closedAgain(before)
  })

  test('leaves nothing behind when its certificate does not hold', async () => {
    await using target = await startTlsTarget({ cert: pem('expired') })
    const before = openNow()
    await dialed(trusting, { port: target.port, ...secure() })
    await closedAgain(before)
  })

  test.each([
    ['ca', [], 'connected'],
    ['ca', ['root'], 'connected'],
    ['root', [], 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])(
    'trusts NODE_EXTRA_CA_CERTS: with %s, and %j of our own, it is %s',
    async (authority, ours, expected) => {
      await using target = await startTlsTarget()
      const program = fileURLToPath(new URL('../../support/dial-once.ts', import.meta.url))
      const file = fileURLToPath(new URL(`../../support/certificates/${authority}.pem`, import.meta.url))
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: file }
      const { stdout } = await run(process.execPath, [program, String(target.port), ...ours], { env })
      expect(stdout).toBe(expected)
    },
  )
})
