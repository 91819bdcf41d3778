import { describe, expect, test } from 'vitest'
import { attempt } from '../../support/api-attempt.ts'
import { pem, startTlsTarget } from '../../support/tls-target.ts'

const rsa = { cert: pem('rsa'), key: pem('rsa-key') }
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** A target with an RSA key that speaks nothing but these ciphers of TLS 1.2. */
function startTarget(ciphers: string) {
  return startTlsTarget({
    ...rsa,
    ciphers,
    dhparam: 'auto',
    maxVersion: 'TLSv1.2',
    onConnection: (socket) => socket.once('data', () => socket.end(answer)),
  })
}

describe('a target that agrees on its key', () => {
  test.each(['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-SHA384', 'AES256-GCM-SHA384', 'AES128-SHA'])(
    'by %s is understood',
    async (cipher) => {
      await using target = await startTarget(cipher)
      const outcome = await attempt(`https://127.0.0.1:${target.port}`, { skipSSL: true })
      expect(outcome).toMatchObject({ kind: 'observed', observation: { tls: { cipher } } })
    },
  )

  test.each(['DHE-RSA-AES128-GCM-SHA256', 'DHE-RSA-AES256-SHA256', 'DHE-RSA-CHACHA20-POLY1305'])(
    'by %s alone, over a group of any size that it likes, is not',
    async (cipher) => {
      await using target = await startTarget(cipher)
      const outcome = await attempt(`https://127.0.0.1:${target.port}`, { skipSSL: true })
      expect(outcome).toMatchObject({ kind: 'unreachable', cause: { class: 'tls-handshake', phase: 'tls' } })
    },
  )

  test('by the elliptic curves of TLS 1.3 is understood', async () => {
    await using target = await startTlsTarget({
      minVersion: 'TLSv1.3',
      onConnection: (socket) => socket.once('data', () => socket.end(answer)),
    })
    const outcome = await attempt(`https://127.0.0.1:${target.port}`, { skipSSL: true })
    expect(outcome).toMatchObject({ kind: 'observed', observation: { tls: { protocol: 'TLSv1.3' } } })
  })
})
