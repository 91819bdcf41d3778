import { once } from 'node:events'
import type { TLSSocket, TlsOptions } from 'node:tls'
import { describe, expect, test } from 'vitest'
import type { ClientCertificate } from '../../../src/contract/client-certificate.ts'
import { TlsContexts } from '../../../src/runner/dial/tls-contexts.ts'
import { failureOf } from '../../../src/runner/failures.ts'
import { type Dialed, dialed, dialer } from '../../support/dialed.ts'
import { pem, startTlsTarget } from '../../support/tls-target.ts'

const dial = dialer({ extraCa: [pem('ca')] })

const own: ClientCertificate = {
  host: 'localhost',
  certificate: pem('client'),
  key: pem('client-key'),
  passphrase: null,
  ca: null,
}

/** Tells its client whom it took it for, and keeps no secret of why it did not. */
const demanding: TlsOptions & { onConnection: (socket: TLSSocket) => void } = {
  ca: pem('client-ca'),
  requestCert: true,
  rejectUnauthorized: true,
  onConnection: (socket) => socket.end(String(socket.getPeerCertificate().subject?.CN)),
}

function as(port: number, clientCertificate: ClientCertificate | null): Promise<Dialed> {
  return dialed(dial, { port, tls: { name: 'localhost', verify: true, clientCertificate } })
}

describe('a client certificate', () => {
  test.each([
    ['plain', own],
    ['encrypted', { ...own, key: pem('client-key-encrypted'), passphrase: 'open-sesame' }],
  ])('is shown to a target that asks for it, its key %s', async (_how, certificate) => {
    await using target = await startTlsTarget(demanding)
    const { connection } = await as(target.port, certificate)
    expect(String(await once(connection?.socket ?? process, 'data'))).toBe('Picket test client')
    connection?.socket.destroy()
  })

  test('has authorities of its own, which count for its hosts only', async () => {
    await using target = await startTlsTarget({ cert: pem('chain-leaf', 'intermediate') })
    expect((await as(target.port, own)).error).toMatchObject({ code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' })
    const { connection, error } = await as(target.port, { ...own, ca: pem('root') })
    expect(error).toBeNull()
    connection?.socket.destroy()
    expect((await as(target.port, own)).error).not.toBeNull()
    await using usual = await startTlsTarget()
    const other = await as(usual.port, { ...own, ca: pem('root') })
    expect(other.error).toBeNull()
    other.connection?.socket.destroy()
  })

  test.each([
    ['that is no certificate', { ...own, certificate: 'nonsense' }],
    ['that is empty', { ...own, certificate: '' }],
    ['without a key', { ...own, key: '' }],
    ['whose key is nonsense', { ...own, key: 'nonsense' }],
    ["whose key is another's", { ...own, key: pem('server-key') }],
    ['whose passphrase is wrong', { ...own, key: pem('client-key-encrypted'), passphrase: 'sesame' }],
    ['whose passphrase is missing', { ...own, key: pem('client-key-encrypted') }],
    ['whose authority is nonsense', { ...own, ca: 'nonsense' }],
  ])('%s fails the check before anything is dialed', async (_what, certificate) => {
    await using target = await startTlsTarget(demanding)
    const { error, phases, tried } = await as(target.port, certificate)
    expect(failureOf(error, null)).toEqual({
      class: 'tls-client-certificate',
      code: expect.stringMatching(/^(ERR_|CLIENT_)/),
      message: 'The client certificate cannot be read, or its passphrase is wrong',
      phase: null,
    })
    expect([...phases, ...tried]).toEqual([])
    expect(JSON.stringify(failureOf(error, null))).not.toContain('sesame')
  })

  test('that is missing fails the handshake of TLS 1.2 as such', async () => {
    await using target = await startTlsTarget({ ...demanding, maxVersion: 'TLSv1.2' })
    const { error } = await as(target.port, null)
    expect(failureOf(error, 'tls')).toMatchObject({
      class: 'tls-client-certificate',
      code: expect.stringContaining('ALERT_HANDSHAKE_FAILURE'),
      message: 'The target did not accept the client certificate, or asks for one',
    })
  })

  test('that is missing is told by TLS 1.3 when the first answer is awaited', async () => {
    await using target = await startTlsTarget(demanding)
    const { connection } = await as(target.port, null)
    const [error] = await once(connection?.socket ?? process, 'error').then(
      (all) => all,
      (thrown: unknown) => [thrown],
    )
    expect(failureOf(error, 'firstByte')).toMatchObject({
      class: 'tls-client-certificate',
      code: expect.stringContaining('ALERT_CERTIFICATE_REQUIRED'),
    })
  })

  test('is not what fails a handshake for want of a common cipher', async () => {
    await using target = await startTlsTarget({
      ...demanding,
      maxVersion: 'TLSv1.2',
      ciphers: 'ECDHE-RSA-AES128-GCM-SHA256',
    })
    const { error } = await as(target.port, own)
    expect(failureOf(error, 'tls')).toMatchObject({
      class: 'tls-handshake',
      code: expect.stringContaining('ALERT_HANDSHAKE_FAILURE'),
    })
  })

  test('shares one context with all that are equal, and a hundred are kept', () => {
    const contexts = new TlsContexts([])
    // A key that is not encrypted is read whatever the passphrase.
    const other = (at: number) => contexts.of({ ...own, passphrase: `p${at}` })
    const first = contexts.of(own)
    expect(contexts.of({ ...own, host: '*.example' })).toBe(first)
    const second = other(0)
    for (let at = 1; at < 99; at += 1) other(at)
    expect(contexts.of(own)).toBe(first)
    other(99)
    expect(contexts.of(own)).toBe(first)
    expect(other(0)).not.toBe(second)
  })
})
