import { describe, expect, test } from 'vitest'
import { createNameServers } from '../../../src/runner/canary/name-server-canary.ts'
import { type DnsAnswer, startDnsTarget } from '../../support/dns-target.ts'
import { freePort } from '../../support/free-port.ts'

const soon = () => AbortSignal.timeout(300)
const long = () => AbortSignal.timeout(10_000)

const ask = (nameServers: readonly string[], signal = long()) =>
  createNameServers({ nameServers, useOsDnsResolver: false }).ask(signal)

const answering = (answer: DnsAnswer) => startDnsTarget({ '': answer })

describe('name servers', () => {
  test.each<DnsAnswer>(['NXDOMAIN', 'SERVFAIL', { addresses: [], ttl: 0 }])(
    'live when they answer the question for the root with %j',
    async (answer) => {
      await using dns = await answering(answer)
      expect(await ask([dns.nameServer])).toBe('all')
      expect(dns.asked).toEqual([''])
    },
  )

  test('do not live when nobody listens there', async () => {
    expect(await ask([`127.0.0.1:${await freePort()}`])).toBe('none')
  })

  test('do not live when they are silent until the signal ends the wait, and are asked once', async () => {
    await using dns = await answering('silence')
    expect(await ask([dns.nameServer], soon())).toBe('none')
    expect(dns.asked).toEqual([''])
  })

  test('are all asked at once', async () => {
    await using silent = await answering('silence')
    await using alive = await answering('NXDOMAIN')
    expect(await ask([silent.nameServer, alive.nameServer], soon())).toBe('some')
    expect(await ask([alive.nameServer, alive.nameServer])).toBe('all')
  })

  test('are told as they are asked', () => {
    const nameServers = ['127.0.0.1:5353', '[::1]:5353', '192.0.2.1']
    expect(createNameServers({ nameServers, useOsDnsResolver: false }).list()).toEqual(nameServers)
  })

  test('are asked over IPv6 as well', async () => {
    expect(await ask([`[::1]:${await freePort()}`])).toBe('none')
  })
})
