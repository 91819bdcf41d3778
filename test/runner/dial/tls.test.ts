import { describe, expect, test } from 'vitest'
import { fail, observe } from '../../support/api-attempt.ts'
import { entry } from '../../support/api-definition.ts'
import { type Certificate, type Route, readCertificate, startHttpsTarget } from '../../support/http-target.ts'
import { answerRaw, startTcpTarget } from '../../support/tcp-target.ts'

const ok: Route = (response) => response.end('ok')
const trusted = { extraCa: [readCertificate('ca')] }

describe('a TLS connection', () => {
  test('tells protocol, cipher and the days of the certificate that expires first', async () => {
    await using target = await startHttpsTarget('valid', { '/': ok })
    const { observation, timings } = await observe(target.origin, {}, trusted)
    const days = Math.floor((Date.UTC(2124, 0, 1) - Date.now()) / 86_400_000)
    expect(observation.tls).toEqual({
      protocol: 'TLSv1.3',
      cipher: expect.stringMatching(/^TLS_/),
      daysRemaining: days,
    })
    expect(observation.response.body).toBe('ok')
    expect(timings.phasesUs.tls).toBeGreaterThan(0)
  })

  test('holds for an IP address that the certificate names', async () => {
    await using target = await startHttpsTarget('valid', { '/': ok })
    const { observation } = await observe(`https://127.0.0.1:${target.port}`, {}, trusted)
    expect(observation.response.status).toBe(200)
  })

  test('is with the host that the Host header names', async () => {
    await using target = await startHttpsTarget('valid', { '/': ok })
    await observe(target.origin, { headers: [entry('Host', 'virtual.example')] }, trusted)
    expect(target.requests[0]?.headers.host).toBe('virtual.example')
    const { cause } = await fail(target.origin, { headers: [entry('Host', 'unnamed.example')] }, trusted)
    expect(cause.class).toBe('tls-hostname')
  })

  test.each<[Certificate, string, string]>([
    ['expired', 'tls-expired', 'CERT_HAS_EXPIRED'],
    ['not-yet-valid', 'tls-not-yet-valid', 'CERT_NOT_YET_VALID'],
    ['wrong-host', 'tls-hostname', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['self-signed', 'tls-self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('fails over a certificate that is %s as %s and sends nothing', async (certificate, expected, code) => {
    await using target = await startHttpsTarget(certificate, { '/': ok })
    const outcome = await fail(target.origin, {}, trusted)
    expect(outcome).toMatchObject({
      kind: 'unreachable',
      cause: { class: expected, code, phase: 'tls' },
      evidence: { response: null, tls: { protocol: 'TLSv1.3' } },
    })
    expect(outcome.timings.phasesUs).toMatchObject({ tls: expect.any(Number), send: null, firstByte: null })
    expect(target.requests).toEqual([])
  })

  test('still tells by how many days an expired certificate is late', async () => {
    await using target = await startHttpsTarget('expired', { '/': ok })
    const { evidence } = await fail(target.origin, {}, trusted)
    expect(evidence.tls?.daysRemaining).toBeLessThan(0)
  })

  test('fails as untrusted when nobody known issued the certificate', async () => {
    await using target = await startHttpsTarget('valid', { '/': ok })
    expect((await fail(target.origin)).cause).toMatchObject({ class: 'tls-untrusted', phase: 'tls' })
  })

  test.each<Certificate>(['expired', 'wrong-host', 'self-signed'])(
    'takes a certificate that is %s when told to skip verification',
    async (certificate) => {
      await using target = await startHttpsTarget(certificate, { '/': ok })
      const { observation } = await observe(target.origin, { skipSSL: true })
      expect(observation.response.body).toBe('ok')
      expect(observation.tls?.daysRemaining).toEqual(expect.any(Number))
    },
  )

  test('fails as a handshake with a target that does not speak TLS', async () => {
    await using target = await startTcpTarget(answerRaw('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const { cause } = await fail(`https://127.0.0.1:${target.port}`)
    expect(cause).toMatchObject({ class: 'tls-handshake', phase: 'tls' })
  })
})
