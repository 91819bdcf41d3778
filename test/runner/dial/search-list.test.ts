import { writeFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { createResolver } from '../../../src/runner/dial/resolve.ts'
import { ask } from '../../support/ask-resolver.ts'
import { type DnsAnswer, startDnsTarget } from '../../support/dns-target.ts'
import { manualClock } from '../../support/manual-clock.ts'

const found: DnsAnswer = { addresses: ['192.0.2.1'], ttl: 0 }

async function started(resolvConf: string, answers: Readonly<Record<string, DnsAnswer>>) {
  const opened = new AsyncDisposableStack()
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'picket-')))
  const dns = opened.use(await startDnsTarget(answers))
  const path = join(folder.path, 'resolv.conf')
  writeFileSync(path, resolvConf)
  const clock = manualClock()
  const files = { hostsFile: '/nowhere/hosts', resolvConf: path }
  const resolve = createResolver({ clock, nameServers: [dns.nameServer], ...files })
  return { dns, clock, path, resolve, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

const searching = 'search one.invalid two.invalid\n'

describe('a name in search domains', () => {
  test.each([
    ['a', searching, ['a.one.invalid', 'a.two.invalid', 'a']],
    ['a.b', searching, ['a.b', 'a.b.one.invalid', 'a.b.two.invalid']],
    ['a.b', `${searching}options ndots:2`, ['a.b.one.invalid', 'a.b.two.invalid', 'a.b']],
    ['a', `${searching}options ndots:0`, ['a', 'a.one.invalid', 'a.two.invalid']],
    ['a.', searching, ['a']],
    ['a.b.', `${searching}options ndots:5`, ['a.b']],
    ['a', '', ['a']],
  ])('%s is asked for as %j says', async (name, resolvConf, asked) => {
    await using it = await started(resolvConf, {})
    await expect(ask(it.resolve, name)).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(it.dns.asked).toEqual(asked)
  })

  test('is the first that exists', async () => {
    await using it = await started(searching, { 'a.two.invalid': found, a: 'SERVFAIL' })
    expect(await ask(it.resolve, 'a')).toEqual(['192.0.2.1'])
    expect(it.dns.asked).toEqual(['a.one.invalid', 'a.two.invalid'])
  })

  test('is the same host in both families', async () => {
    const ofOneFamily: DnsAnswer = { addresses: ['192.0.2.1'], ttl: 0 }
    const ofTheOther: DnsAnswer = { addresses: ['2001:db8::2'], ttl: 0 }
    await using it = await started(searching, { 'a.one.invalid': ofOneFamily, 'a.two.invalid': ofTheOther })
    expect(await ask(it.resolve, 'a')).toEqual(['192.0.2.1'])
    await expect(ask(it.resolve, 'a', { family: 6 })).rejects.toMatchObject({ code: 'ENODATA' })
  })

  test.each([
    ['the name as it is, asked first', 'a.b', { 'a.b.one.invalid': 'SERVFAIL' }, 'ENOTFOUND'],
    ['the name as it is, asked last', 'a', { a: 'SERVFAIL' }, 'ESERVFAIL'],
    ['a server that could not tell before it', 'a', { 'a.one.invalid': 'SERVFAIL' }, 'ESERVFAIL'],
  ] as const)('that is nowhere fails as %s', async (_what, name, answers, code) => {
    await using it = await started(searching, answers)
    await expect(ask(it.resolve, name)).rejects.toMatchObject({ code })
    expect(it.dns.asked).toHaveLength(3)
  })

  test('is not searched on when a name server refuses to tell', async () => {
    await using it = await started(searching, { 'a.one.invalid': 'REFUSED', 'a.two.invalid': found })
    await expect(ask(it.resolve, 'a')).rejects.toMatchObject({ code: 'EREFUSED' })
    expect(it.dns.asked).toEqual(['a.one.invalid'])
  })

  test('is never longer than a name may be', async () => {
    const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}`
    await using it = await started(searching, {})
    await expect(ask(it.resolve, long)).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(it.dns.asked).toEqual([long])
  })

  test('follows a change of the file within 10 s of use', async () => {
    await using it = await started('search one.invalid', { 'a.three.invalid': found })
    await expect(ask(it.resolve, 'a')).rejects.toThrow()
    writeFileSync(it.path, 'search three.invalid')
    it.clock.ms = 9999
    await expect(ask(it.resolve, 'a')).rejects.toThrow()
    it.clock.ms = 10_000
    await vi.waitFor(async () => expect(await ask(it.resolve, 'a')).toEqual(['192.0.2.1']))
  })
})
