import { writeFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import { createOsResolver, createResolver, type ResolverOptions } from '../../../src/runner/dial/resolve.ts'
import { ask } from '../../support/ask-resolver.ts'
import { type DnsAnswer, startDnsTarget } from '../../support/dns-target.ts'
import { closedAgain, openNow } from '../../support/open-now.ts'

const nothing = { clock: systemClock, hostsFile: '/nowhere/hosts', resolvConf: '/nowhere/resolv.conf' }
const one: DnsAnswer = { addresses: ['192.0.2.1', '2001:db8::1'], ttl: 60 }

async function started(answers: Readonly<Record<string, DnsAnswer>>, options: Partial<ResolverOptions> = {}) {
  const dns = await startDnsTarget(answers)
  const resolve = createResolver({ ...nothing, nameServers: [dns.nameServer], ...options })
  return { dns, resolve, [Symbol.asyncDispose]: () => dns[Symbol.asyncDispose]() }
}

describe('the own resolver', () => {
  test('gives all addresses of a name, each family by itself', async () => {
    const addresses = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2']
    await using it = await started({ 'a.invalid': { addresses, ttl: 60 } })
    expect((await ask(it.resolve, 'A.invalid')).toSorted()).toEqual(['192.0.2.1', '192.0.2.2'])
    expect((await ask(it.resolve, 'a.INVALID', { family: 6 })).toSorted()).toEqual([
      '2001:db8::1',
      '2001:db8::2',
    ])
  })

  test.each([
    ['NXDOMAIN', 'ENOTFOUND'],
    ['SERVFAIL', 'ESERVFAIL'],
    ['REFUSED', 'EREFUSED'],
    ['NOTIMP', 'ENOTIMP'],
    ['FORMERR', 'EFORMERR'],
    ['silence', 'ETIMEOUT'],
  ] as const)('fails on %s with %s, and leaves nothing behind', async (answer, code) => {
    await using it = await started({ 'a.invalid': answer }, { timeoutMs: 50, tries: 1 })
    const before = openNow()
    await expect(ask(it.resolve, 'a.invalid')).rejects.toMatchObject({ code })
    expect(it.dns.asked).toEqual(['a.invalid'])
    await closedAgain(before)
  })

  test('fails with ENODATA when the name has no address of the family', async () => {
    await using it = await started({ 'a.invalid': { addresses: ['192.0.2.1'], ttl: 60 } })
    await expect(ask(it.resolve, 'a.invalid', { family: 6 })).rejects.toMatchObject({ code: 'ENODATA' })
  })

  test.each(['', '.', 'a..b', '-', 'ex ample', `${'a'.repeat(64)}.invalid`, `${'a.'.repeat(127)}invalid`])(
    'fails with a code of its own for %j, which is no host name',
    async (name) => {
      await using it = await started({}, { timeoutMs: 50, tries: 1 })
      await expect(ask(it.resolve, name)).rejects.toMatchObject({ code: expect.stringMatching(/^E[A-Z]+$/) })
    },
  )

  test.each(['dns.example', '127.0.0.1:99999', ''])('is not made with the name server %j', (server) => {
    expect(() => createResolver({ ...nothing, nameServers: ['127.0.0.1', server] })).toThrow()
  })

  test('follows an alias', async () => {
    const alias = { name: 'b.invalid', ttl: 60 }
    await using it = await started({ 'a.invalid': { addresses: ['192.0.2.1'], ttl: 60, alias } })
    expect(await ask(it.resolve, 'a.invalid')).toEqual(['192.0.2.1'])
  })

  test('asks again over TCP when the answer is too long for UDP', async () => {
    const addresses = Array.from({ length: 100 }, (_, at) => `192.0.2.${at}`)
    await using it = await started({ 'a.invalid': { addresses, ttl: 60, truncated: true } })
    expect(await ask(it.resolve, 'a.invalid')).toHaveLength(100)
    expect(it.dns.askedOverTcp).toEqual(['a.invalid'])
  })

  test('waits for a slow answer rather than ask until it gives up', async () => {
    const slow: DnsAnswer = { addresses: ['192.0.2.9'], ttl: 60, delayMs: 900 }
    await using it = await started({
      'slow.invalid': slow,
      'a.invalid': one,
      'b.invalid': one,
      'c.invalid': one,
    })
    for (const name of ['a.invalid', 'b.invalid', 'c.invalid']) await ask(it.resolve, name)
    expect(await ask(it.resolve, 'slow.invalid')).toEqual(['192.0.2.9'])
    expect(it.dns.asked.filter((name) => name === 'slow.invalid')).toHaveLength(1)
  })

  test('takes names of the hosts file from there, each family by itself', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'picket-'))
    const hostsFile = join(folder.path, 'hosts')
    writeFileSync(hostsFile, '# ours\n192.0.2.7 one.invalid Two.invalid # both\n2001:db8::7\tone.invalid\n')
    const resolve = createResolver({ ...nothing, hostsFile })
    expect(await ask(resolve, 'one.invalid')).toEqual(['192.0.2.7'])
    expect(await ask(resolve, 'one.invalid.', { family: 6 })).toEqual(['2001:db8::7'])
    expect(await ask(resolve, 'TWO.invalid')).toEqual(['192.0.2.7'])
    await expect(ask(resolve, 'two.invalid', { family: 6 })).rejects.toMatchObject({ code: 'ENODATA' })
  })

  test('knows localhost and all under it without asking anybody', async () => {
    await using it = await started({})
    expect(await ask(it.resolve, 'localhost')).toEqual(['127.0.0.1'])
    expect(await ask(it.resolve, 'app.LOCALHOST.', { family: 6 })).toEqual(['::1'])
    expect(it.dns.asked).toEqual([])
  })
})

test("takes the operating system's word when told to", async () => {
  expect(await ask(createOsResolver(), 'localhost')).toEqual(['127.0.0.1'])
})

test("fails as the operating system's resolver does", async () => {
  await expect(ask(createOsResolver(), 'a..invalid')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})
