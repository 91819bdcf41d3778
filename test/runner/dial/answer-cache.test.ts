import { describe, expect, test } from 'vitest'
import { AnswerCache } from '../../../src/runner/dial/answer-cache.ts'
import { createResolver } from '../../../src/runner/dial/resolve.ts'
import { ask } from '../../support/ask-resolver.ts'
import { type DnsAnswer, startDnsTarget } from '../../support/dns-target.ts'
import { manualClock } from '../../support/manual-clock.ts'

const one = (ttl: number): DnsAnswer => ({ addresses: ['192.0.2.1', '2001:db8::1'], ttl })

async function started(answers: Readonly<Record<string, DnsAnswer>>) {
  const dns = await startDnsTarget(answers)
  const clock = manualClock()
  const nameServers = [dns.nameServer]
  const files = { hostsFile: '/nowhere/hosts', resolvConf: '/nowhere/resolv.conf' }
  const resolve = createResolver({ clock, nameServers, ...files })
  /** How many questions it takes the name server to answer one then. */
  const askedAt = async (ms: number, name: string, fresh = false) => {
    clock.ms = ms
    dns.asked.length = 0
    await ask(resolve, name, { fresh })
    return dns.asked.length
  }
  return { dns, resolve, askedAt, [Symbol.asyncDispose]: () => dns[Symbol.asyncDispose]() }
}

describe('an answer', () => {
  test('is kept for as long as it lives, and never longer than 30 s', async () => {
    await using it = await started({ 'short.invalid': one(5), 'long.invalid': one(86_400) })
    expect(await it.askedAt(0, 'short.invalid')).toBe(1)
    expect(await it.askedAt(4999, 'short.invalid')).toBe(0)
    expect(await it.askedAt(5000, 'short.invalid')).toBe(1)
    expect(await it.askedAt(10_000, 'long.invalid')).toBe(1)
    expect(await it.askedAt(39_999, 'LONG.invalid')).toBe(0)
    expect(await it.askedAt(40_000, 'long.invalid')).toBe(1)
  })

  test('is not kept when it says so', async () => {
    await using it = await started({ 'a.invalid': one(0) })
    expect(await it.askedAt(0, 'a.invalid')).toBe(1)
    expect(await it.askedAt(0, 'a.invalid')).toBe(1)
  })

  test('lives no longer than the alias that led to it', async () => {
    const alias = { name: 'b.invalid', ttl: 2 }
    await using it = await started({ 'a.invalid': { addresses: ['192.0.2.1'], ttl: 20, alias } })
    expect(await it.askedAt(0, 'a.invalid')).toBe(1)
    expect(await it.askedAt(1999, 'a.invalid')).toBe(0)
    expect(await it.askedAt(2000, 'a.invalid')).toBe(1)
  })

  test('is of one family', async () => {
    await using it = await started({ 'a.invalid': one(60) })
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
    expect(await ask(it.resolve, 'a.invalid', { family: 6 })).toEqual(['2001:db8::1'])
  })

  test('is asked for anew by a fresh question, which the next ones profit from', async () => {
    await using it = await started({ 'a.invalid': one(60) })
    expect(await it.askedAt(0, 'a.invalid')).toBe(1)
    it.dns.answers = { 'a.invalid': { addresses: ['192.0.2.2'], ttl: 60 } }
    expect(await it.askedAt(0, 'a.invalid', true)).toBe(1)
    expect(await it.askedAt(0, 'a.invalid')).toBe(0)
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.2'])
  })

  test.each(['NXDOMAIN', 'SERVFAIL', { addresses: [], ttl: 60 }] as const)(
    'is never kept when it is that there is none: %j',
    async (answer) => {
      await using it = await started({ 'a.invalid': answer })
      await expect(ask(it.resolve, 'a.invalid')).rejects.toThrow()
      it.dns.answers = { 'a.invalid': one(60) }
      expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
    },
  )

  test('is for all who ask at the same time, fresh or not', async () => {
    await using it = await started({ 'a.invalid': one(0) })
    const asks = Array.from({ length: 20 }, (_, at) => ask(it.resolve, 'a.invalid', { fresh: at % 2 === 1 }))
    expect(await Promise.all(asks)).toEqual(Array.from({ length: 20 }, () => ['192.0.2.1']))
    expect(it.dns.asked).toEqual(['a.invalid'])
  })

  test('makes room for others: ten thousand are kept', () => {
    const cache = new AnswerCache(manualClock())
    for (let at = 0; at <= 10_000; at += 1) cache.set(`n${at}`, ['192.0.2.1'], 60_000)
    expect(cache.get('n10000')).toEqual(['192.0.2.1'])
    expect(cache.get('n1')).toEqual(['192.0.2.1'])
    expect(cache.get('n0')).toBeNull()
  })
})
