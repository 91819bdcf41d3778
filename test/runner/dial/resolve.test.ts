import { writeFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/lib/clock.ts'
import type { Family } from '../../../src/runner/dial/hosts-file.ts'
import { createOsResolver, createResolver, type Resolve } from '../../../src/runner/dial/resolve.ts'
import { startDnsTarget } from '../../support/dns-target.ts'

function ask(resolve: Resolve, name: string, family: Family = 4): Promise<readonly string[]> {
  return new Promise((done, reject) => {
    resolve(name, family, (error, addresses) => (error ? reject(error) : done(addresses)))
  })
}

const noHosts = { clock: systemClock, hostsFile: '/nowhere/hosts' }

describe('the own resolver', () => {
  test('gives all addresses of a name in the order of the answer', async () => {
    await using dns = await startDnsTarget({
      'a.invalid': { addresses: ['192.0.2.1', '192.0.2.2'], ttl: 60 },
    })
    const resolve = createResolver({ ...noHosts, nameServers: [dns.nameServer] })
    expect([...(await ask(resolve, 'a.invalid'))].sort()).toEqual(['192.0.2.1', '192.0.2.2'])
  })

  test.each([
    ['NXDOMAIN', 'ENOTFOUND'],
    ['SERVFAIL', 'ESERVFAIL'],
    ['silence', 'ETIMEOUT'],
  ] as const)('fails on %s with %s', async (answer, code) => {
    await using dns = await startDnsTarget({ 'a.invalid': answer })
    const resolve = createResolver({ ...noHosts, nameServers: [dns.nameServer], timeoutMs: 50, tries: 1 })
    await expect(ask(resolve, 'a.invalid')).rejects.toMatchObject({ code })
  })

  test('fails with ENODATA when the name has no address of the family', async () => {
    await using dns = await startDnsTarget({ 'a.invalid': { addresses: ['192.0.2.1'], ttl: 60 } })
    const resolve = createResolver({ ...noHosts, nameServers: [dns.nameServer] })
    await expect(ask(resolve, 'a.invalid', 6)).rejects.toMatchObject({ code: 'ENODATA' })
  })

  test('asks once for as long as the answer lives, and never longer than 30 s', async () => {
    let ms = 0
    const clock = { now: () => 0, monotonicMs: () => ms }
    await using dns = await startDnsTarget({
      'short.invalid': { addresses: ['192.0.2.1'], ttl: 5 },
      'long.invalid': { addresses: ['192.0.2.1'], ttl: 86_400 },
    })
    const resolve = createResolver({ ...noHosts, clock, nameServers: [dns.nameServer] })
    const askedAt = async (name: string, at: number) => {
      ms = at
      dns.asked.length = 0
      await ask(resolve, name)
      return dns.asked.length
    }
    expect(await askedAt('short.invalid', 0)).toBe(1)
    expect(await askedAt('short.invalid', 4999)).toBe(0)
    expect(await askedAt('short.invalid', 5000)).toBe(1)
    expect(await askedAt('long.invalid', 10_000)).toBe(1)
    expect(await askedAt('long.invalid', 39_999)).toBe(0)
    expect(await askedAt('long.invalid', 40_000)).toBe(1)
  })

  test('does not remember that a name failed', async () => {
    await using dns = await startDnsTarget({})
    const resolve = createResolver({ ...noHosts, nameServers: [dns.nameServer] })
    await expect(ask(resolve, 'a.invalid')).rejects.toThrow()
    await expect(ask(resolve, 'a.invalid')).rejects.toThrow()
    expect(dns.asked).toHaveLength(2)
  })

  test('asks once for all who wait for the same name', async () => {
    await using dns = await startDnsTarget({ 'a.invalid': { addresses: ['192.0.2.1'], ttl: 0 } })
    const resolve = createResolver({ ...noHosts, nameServers: [dns.nameServer] })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(resolve, 'a.invalid')))
    expect(answers).toEqual(Array.from({ length: 20 }, () => ['192.0.2.1']))
    expect(dns.asked).toEqual(['a.invalid'])
  })

  test('takes names of the hosts file from there, each family by itself', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'picket-'))
    const hostsFile = join(folder.path, 'hosts')
    writeFileSync(hostsFile, '# ours\n192.0.2.7 one.invalid Two.invalid # both\n2001:db8::7\tone.invalid\n')
    const resolve = createResolver({ clock: systemClock, hostsFile })
    expect(await ask(resolve, 'one.invalid')).toEqual(['192.0.2.7'])
    expect(await ask(resolve, 'one.invalid', 6)).toEqual(['2001:db8::7'])
    expect(await ask(resolve, 'two.invalid')).toEqual(['192.0.2.7'])
    await expect(ask(resolve, 'two.invalid', 6)).rejects.toMatchObject({ code: 'ENODATA' })
  })

  test('knows localhost and all under it without asking anybody', async () => {
    const resolve = createResolver(noHosts)
    expect(await ask(resolve, 'localhost')).toEqual(['127.0.0.1'])
    expect(await ask(resolve, 'app.localhost', 6)).toEqual(['::1'])
  })
})

test("takes the operating system's word when told to", async () => {
  expect(await ask(createOsResolver(), 'localhost')).toEqual(['127.0.0.1'])
})
