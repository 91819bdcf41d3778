import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { createResolver, type ResolverOptions } from '../../../src/runner/dial/resolve.ts'
import { ask } from '../../support/ask-resolver.ts'
import { type DnsAnswer, type DnsTarget, startDnsTarget } from '../../support/dns-target.ts'
import { freePort } from '../../support/free-port.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { closedAgain, openNow } from '../../support/open-now.ts'

const good: DnsAnswer = { addresses: ['192.0.2.1'], ttl: 0 }
const other: DnsAnswer = { addresses: ['192.0.2.2'], ttl: 0 }

/** Name servers that answer for a.invalid like this, in this order, and a resolver that is quick to pass one over. */
async function started(answers: readonly DnsAnswer[], options: Partial<ResolverOptions> = {}) {
  const opened = new AsyncDisposableStack()
  const servers: DnsTarget[] = []
  for (const answer of answers) servers.push(opened.use(await startDnsTarget({ 'a.invalid': answer })))
  const nameServers = servers.map(({ nameServer }) => nameServer)
  const files = { hostsFile: '/nowhere/hosts', resolvConf: '/nowhere/resolv.conf' }
  const resolve = createResolver({ clock: systemClock, nameServers, timeoutMs: 40, ...files, ...options })
  /** How often each was asked since the last look. */
  const askedOf = () => servers.map(({ asked }) => asked.splice(0).length)
  return { servers, resolve, askedOf, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

afterEach(() => {
  vi.useRealTimers()
})

describe('several name servers', () => {
  test('are asked in their order, one for each question', async () => {
    await using it = await started([good, other])
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
    expect(it.askedOf()).toEqual([1, 0])
  })

  test('stand in for one that is silent, and only one question waits for it', async () => {
    await using it = await started(['silence', good])
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
    expect(it.askedOf()).toEqual([1, 1])
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
    expect(it.askedOf()).toEqual([0, 1])
  })

  test('see after a minute whether one is back, and no question waits for that', async () => {
    const clock = manualClock()
    await using it = await started(['silence', good], { clock })
    await ask(it.resolve, 'a.invalid')
    it.askedOf()
    clock.ms = 59_999
    await ask(it.resolve, 'a.invalid')
    expect(it.askedOf()).toEqual([0, 1])
    clock.ms = 60_000
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
    await vi.waitFor(() => expect(it.askedOf()[0]).toBe(1))
  })

  test('are asked in their order again when one is back', async () => {
    const clock = manualClock()
    await using it = await started(['silence', good], { clock })
    await ask(it.resolve, 'a.invalid')
    const [first, second] = it.servers
    if (first) first.answers = { 'a.invalid': other }
    if (second) second.answers = { 'a.invalid': 'silence' }
    clock.ms = 60_000
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.2'])
    it.askedOf()
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.2'])
    expect(it.askedOf()).toEqual([1, 0])
  })

  test('stand in at once for one that cannot be reached', async () => {
    await using dns = await startDnsTarget({ 'a.invalid': good })
    await using it = await started([], {
      nameServers: [`127.0.0.1:${await freePort()}`, dns.nameServer],
      timeoutMs: 60_000,
    })
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
  })

  test.each(['SERVFAIL', 'REFUSED', 'NOTIMP', 'FORMERR'] as const)(
    'stand in at once for one that says %s',
    async (answer) => {
      await using it = await started([answer, good], { timeoutMs: 60_000 })
      expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
      expect(it.askedOf()).toEqual([1, 1])
      // It answers: it is not slow.
      await ask(it.resolve, 'a.invalid')
      expect(it.askedOf()).toEqual([1, 1])
    },
  )

  test.each(['NXDOMAIN', { addresses: [], ttl: 60 }] as const)('need not repeat %j', async (answer) => {
    await using it = await started([answer, good])
    await expect(ask(it.resolve, 'a.invalid')).rejects.toThrow()
    expect(it.askedOf()).toEqual([1, 0])
  })

  test.each([
    [['SERVFAIL', 'SERVFAIL'], 'ESERVFAIL', [1, 1]],
    [['silence', 'SERVFAIL'], 'ESERVFAIL', [2, 1]],
    [['SERVFAIL', 'silence'], 'ESERVFAIL', [1, 2]],
    [['silence', 'NXDOMAIN'], 'ENOTFOUND', [1, 1]],
    [['silence', 'silence'], 'ETIMEOUT', [2, 2]],
  ] as const)('that are %j fail with %s', async (answers, code, asked) => {
    await using it = await started(answers, { tries: 2 })
    await expect(ask(it.resolve, 'a.invalid')).rejects.toMatchObject({ code })
    expect(it.askedOf()).toEqual(asked)
  })

  test('that are passed over may still answer', async () => {
    await using it = await started([{ ...good, delayMs: 150 }, 'silence'])
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
  })

  test('have their time whatever one says that was passed over', async () => {
    const late: DnsAnswer = { failure: 'SERVFAIL', delayMs: 250 }
    await using it = await started([late, { ...good, delayMs: 120 }], { timeoutMs: 200, tries: 1 })
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
  })

  test('that cannot be reached say less than one that cannot tell', async () => {
    await using dns = await startDnsTarget({ 'a.invalid': 'SERVFAIL' })
    const nameServers = [`127.0.0.1:${await freePort()}`, dns.nameServer]
    await using it = await started([], { nameServers })
    await expect(ask(it.resolve, 'a.invalid')).rejects.toMatchObject({ code: 'ESERVFAIL' })
  })

  test('answer or fail within 10 s, and nothing is left behind', async () => {
    const clock = manualClock()
    await using it = await started(['silence', 'silence', 'silence'], { clock, timeoutMs: 2000 })
    const before = openNow()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let endedAtMs: number | null = null
    const failed = expect(ask(it.resolve, 'a.invalid')).rejects.toMatchObject({ code: 'ETIMEOUT' })
    void failed.then(() => {
      endedAtMs = clock.ms
    })
    for (; endedAtMs === null && clock.ms < 20_000; clock.ms += 100) await vi.advanceTimersByTimeAsync(100)
    await failed
    expect(endedAtMs).toBe(10_000)
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
    await closedAgain(before)
  })
})
