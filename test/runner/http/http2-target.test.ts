import { once } from 'node:events'
import { createSecureServer, createServer, type Http2SecureServer, type Http2Server } from 'node:http2'
import { describe, expect, test } from 'vitest'
import { fail, observe } from '../../support/api-attempt.ts'
import { readCertificate } from '../../support/http-target.ts'

const identity = { cert: readCertificate('valid'), key: readCertificate('server-key') }
const trusted = { extraCa: [readCertificate('ca')] }

async function listen(server: Http2Server | Http2SecureServer) {
  let served = 0
  server.on('session', (session) => session.on('error', () => {}))
  server.on('request', (_request, response) => {
    served += 1
    response.end('ok')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    served: () => served,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('a target that speaks HTTP/2', () => {
  test('and nothing else ends the handshake: the two have no protocol in common', async () => {
    await using target = await listen(createSecureServer(identity))
    const outcome = await fail(`https://localhost:${target.port}`, {}, trusted)
    expect(outcome).toMatchObject({
      kind: 'unreachable',
      cause: {
        class: 'tls-handshake',
        code: expect.stringMatching(/ALERT_NO_APPLICATION_PROTOCOL$/),
        phase: 'tls',
      },
      timings: { phasesUs: { tls: expect.any(Number), send: null } },
    })
    expect(target.served()).toBe(0)
  })

  test('and nothing else without TLS is no HTTP/1, which its first bytes tell', async () => {
    await using target = await listen(createServer())
    const outcome = await fail(`http://127.0.0.1:${target.port}`, {}, { attemptMs: 5000 })
    expect(outcome).toMatchObject({
      kind: 'unreachable',
      cause: { class: 'http-malformed', phase: 'firstByte' },
    })
    expect(target.served()).toBe(0)
  })

  test('and HTTP/1.1 as well speaks HTTP/1.1 with us', async () => {
    await using target = await listen(createSecureServer({ ...identity, allowHTTP1: true }))
    const { observation } = await observe(`https://localhost:${target.port}`, {}, trusted)
    expect(observation).toMatchObject({
      response: { httpVersion: '1.1', body: 'ok' },
      tls: { alpn: 'http/1.1' },
    })
  })
})
