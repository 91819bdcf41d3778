import { describe, expect, test } from 'vitest'
import { parseProxyUrl } from '../../src/runner/dial/proxy-url.ts'
import { attempt, observe } from '../support/api-attempt.ts'
import { readCertificate, startHttpsTarget, startHttpTarget } from '../support/http-target.ts'
import { startProxy } from '../support/proxy.ts'

const through = (port: number, credentials = '') => {
  const read = parseProxyUrl(`http://${credentials}127.0.0.1:${port}`)
  if (!('settings' in read)) throw new Error(read.fault)
  const { settings } = read
  return { proxy: () => settings, extraCa: [readCertificate('ca')] }
}

describe('a check through a proxy', () => {
  test("reaches a plain target by a proxy request, and tells the addresses as the proxy's", async () => {
    await using target = await startHttpTarget({ '/a': (response) => response.end('ok') })
    await using proxy = await startProxy({ credentials: 'user:hunter2' })
    const { observation } = await observe(`${target.origin}/a?b=1`, {}, through(proxy.port, 'user:hunter2@'))
    expect(proxy.asked).toEqual([`GET ${target.origin}/a?b=1`])
    expect(observation).toMatchObject({
      response: { status: 200, body: 'ok' },
      hops: [{ remoteAddress: null, addresses: [{ address: '127.0.0.1', fate: 'connected' }] }],
    })
    expect(JSON.stringify(observation)).not.toContain(Buffer.from('user:hunter2').toString('base64'))
  })

  test('reaches a secure target by a tunnel, verifies its certificate, and counts the tunnel as connecting', async () => {
    await using target = await startHttpsTarget('valid', { '/': (response) => response.end('ok') })
    await using proxy = await startProxy()
    const { observation, timings } = await observe(target.origin, {}, through(proxy.port))
    expect(proxy.asked).toEqual([`CONNECT localhost:${target.port}`])
    expect(observation).toMatchObject({ response: { body: 'ok' }, tls: { protocol: 'TLSv1.3' } })
    expect(timings.phasesUs).toMatchObject({ connect: expect.any(Number), tls: expect.any(Number) })
  })

  test.each([
    ['plain', 'http://target.test/'],
    ['secure', 'https://target.test/'],
  ])('whose credentials the proxy does not take is a fault of ours, the target %s', async (_how, url) => {
    await using proxy = await startProxy({ credentials: 'user:hunter2' })
    const attempting = attempt(url, {}, through(proxy.port, 'user:wrong@'))
    await expect(attempting).rejects.toThrow(expect.objectContaining({ code: 'PROXY_UNUSABLE' }))
  })

  test('that is not there is a fault of ours', async () => {
    const { port } = await startProxy().then(async (proxy) => {
      await proxy[Symbol.asyncDispose]()
      return proxy
    })
    const attempting = attempt('http://target.test/', {}, through(port))
    await expect(attempting).rejects.toThrow(expect.objectContaining({ code: 'PROXY_UNUSABLE' }))
  })
})
