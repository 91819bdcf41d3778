import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseProxyUrl } from '../../../src/runner/dial/proxy-url.ts'
import { startProxy } from '../../support/proxy.ts'
import { attemptTcp, tcpDefinition } from '../../support/tcp-attempt.ts'

let proxy: Awaited<ReturnType<typeof startProxy>>
beforeAll(async () => {
  proxy = await startProxy({ refuseWith: 403 })
})
afterAll(() => proxy[Symbol.asyncDispose]())

/** What the proxy is asked for a TCP check of this host, and what the attempt fails by. */
async function attemptAt(hostname: string) {
  const read = parseProxyUrl(`http://127.0.0.1:${proxy.port}`)
  if (!('settings' in read)) throw new Error(read.fault)
  const outcome = await attemptTcp(tcpDefinition(80, { hostname }), { proxy: () => read.settings })
  return {
    asked: proxy.asked.splice(0),
    failure: outcome.kind === 'observed' ? null : outcome.cause.class,
  }
}

/** Letters whose second byte alone is the text: what a writing of one byte a letter makes of them. */
const shifted = (text: string) =>
  String.fromCharCode(...[...text].map((letter) => letter.charCodeAt(0) + 0x100))

describe('a host that a proxy looks up', () => {
  test.each([
    '2852039166',
    '0xA9FEA9FE',
    '0xa9.0xfe.0xa9.0xfe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '169.254.169.254.',
    '１６９.254.169.254',
    'ｍetadata.google.internal',
    'METADATA.google。internal',
  ])('is refused by the egress policy in whatever writing it is one of those: %s', async (hostname) => {
    expect(await attemptAt(hostname)).toEqual({ asked: [], failure: 'egress-forbidden' })
  })

  test.each(['metadat%61', 'a\u0001b', 'host:99', 'a b', 'a\r\nX-Evil: 1', '1.2.3.4.5', '[::1', 'a%0d%0ab'])(
    'is asked for by nobody where it is no name: %j',
    async (hostname) => {
      expect(await attemptAt(hostname)).toEqual({ asked: [], failure: 'invalid-request' })
    },
  )

  test.each([
    ['bücher.example', 'xn--bcher-kva.example'],
    ['Ex_ample.test', 'ex_ample.test'],
    ['[2001:db8::1]', '[2001:db8::1]'],
    [`a.test${shifted('\r\nX-Evil:1')}`, 'a.xn--test'],
    [shifted('169.254.169.254'), 'xn--'],
  ])('is asked for in ASCII: %j', async (hostname, asked) => {
    const [line, ...more] = (await attemptAt(hostname)).asked
    expect(line).toContain(`CONNECT ${asked}`)
    expect(more).toEqual([])
  })
})
