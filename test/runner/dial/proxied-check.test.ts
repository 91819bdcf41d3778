import { expect, test } from 'vitest'
import { parseProxyUrl } from '../../../src/runner/dial/proxy-url.ts'
import type { HttpSeen } from '../../../src/runner/http/conclude.ts'
import { attemptOver } from '../../support/api-attempt-over.ts'
import { dialer } from '../../support/dialed.ts'
import { readCertificate, startHttpsTarget, startHttpTarget } from '../../support/http-target.ts'
import { startProxy } from '../../support/proxy.ts'

function attempt(url: string, proxyUrl: string): Promise<HttpSeen> {
  const parsed = parseProxyUrl(proxyUrl)
  if ('fault' in parsed) throw new Error(parsed.fault)
  const dial = dialer({ proxy: () => parsed.settings, extraCa: [readCertificate('ca')] })
  return attemptOver(url, {}, { dial })
}

const ok = { '/a': (response: { end: (text: string) => void }) => response.end('hello') }

test.each([
  ['http', {}],
  ['https', { certificate: 'valid' }],
])(
  'a plain check is forwarded by a proxy of %s, and a secure one goes through its tunnel',
  async (scheme, how) => {
    await using plain = await startHttpTarget(ok)
    await using secure = await startHttpsTarget('valid', ok)
    await using proxy = await startProxy({ ...how, credentials: 'user:pass' })
    for (const url of [`http://plain.test:${plain.port}/a?b=c`, `https://localhost:${secure.port}/a`]) {
      const outcome = await attempt(url, `${scheme}://user:pass@127.0.0.1:${proxy.port}`)
      if (outcome.kind !== 'observed') throw new Error(outcome.cause.class)
      const { response, hops } = outcome.observation
      expect(response).toMatchObject({ status: 200, body: 'hello' })
      expect(hops).toMatchObject([{ remoteAddress: null, addresses: [{ address: '127.0.0.1' }] }])
    }
    expect(proxy.asked).toEqual([
      `GET http://plain.test:${plain.port}/a?b=c`,
      `CONNECT localhost:${secure.port}`,
    ])
    expect(plain.requests[0]?.headers.host).toBe(`plain.test:${plain.port}`)
  },
)

test('a proxy that cannot be used says nothing of the target', async () => {
  await using proxy = await startProxy({ credentials: 'user:right' })
  const url = `http://user:wrong@127.0.0.1:${proxy.port}`
  await expect(attempt('https://localhost/', url)).rejects.toMatchObject({ code: 'PROXY_UNUSABLE' })
})
