import { describe, expect, test } from 'vitest'
import type { DnsRequest } from '../../../src/contract/checks/dns/request.ts'
import { answered, at } from '../../support/dns-attempt.ts'
import { skippedWithout, startDnsServer } from '../../support/dns-servers.ts'

const record = (name: string, type: string, data: string) => ({ name, type, TTL: 60, data })

type Case = [DnsRequest['recordType'], string, object[], string?]

const ofBoth: Case[] = [
  ['AAAA', 'v6.test', [record('v6.test.', 'AAAA', '2001:db8::1')]],
  ['A', 'nothing.test', [], 'NXDOMAIN'],
  ['MX', 'a.test', []],
  ['MX', 'mx.test', [record('mx.test.', 'MX', '10 mail.mx.test.')]],
  ['TXT', 'txt.test', [record('txt.test.', 'TXT', 'v=spf1 -all')]],
]

const ofDnsmasq: Case[] = [
  ['A', 'a.test.', [record('a.test.', 'A', '192.0.2.1')]],
  [
    'A',
    'alias.test',
    [record('alias.test.', 'CNAME', 'target.test.'), record('target.test.', 'A', '192.0.2.2')],
  ],
]

const ofUnbound: Case[] = [
  ['A', 'a.test', [record('a.test.', 'A', '192.0.2.1'), record('a.test.', 'A', '192.0.2.2')]],
  ['CNAME', 'alias.test', [record('alias.test.', 'CNAME', 'a.test.')]],
  ['NS', 'test', [record('test.', 'NS', 'ns.test.'), record('test.', 'NS', 'ns2.test.')]],
  ['SOA', 'test', [record('test.', 'SOA', 'ns.test. first\\.last.test. 7 3600 600 86400 60')]],
  ['A', 'refused.test', [], 'REFUSED'],
]

describe.each([
  ['dnsmasq', [...ofBoth, ...ofDnsmasq]],
  ['unbound', [...ofBoth, ...ofUnbound]],
] as const)('a real %s', (program, cases) => {
  const skipped = skippedWithout(program)

  test.skipIf(skipped !== '')(`answers what it holds, over UDP and over TCP${skipped}`, async () => {
    await using server = await startDnsServer(program)
    for (const protocol of ['UDP', 'TCP'] as const) {
      for (const [recordType, query, records, status = 'NOERROR'] of cases) {
        const { observation } = await answered({ query, recordType, protocol, ...at(server) })
        const { json } = observation.response
        expect([recordType, query, json.Status]).toEqual([recordType, query, status])
        expect(new Set(json.Answer)).toEqual(new Set(records))
        expect(observation).toMatchObject({ unfit: 0, sent: 1, response: { protocol } })
      }
    }
  })

  test.skipIf(skipped !== '')(`gives more than UDP takes over TCP${skipped}`, async () => {
    await using server = await startDnsServer(program)
    const request = { query: 'long.test', recordType: 'TXT', ...at(server) } as const
    const { observation, timings } = await answered(request)
    expect(observation.response).toMatchObject({ protocol: 'TCP', truncated: false })
    expect(observation.response.json.Answer.length).toBe(20)
    expect(observation.response.json.TC).toBe(false)
    expect(timings.phasesUs.connect).not.toBeNull()
  })

  test.skipIf(skipped !== '')(`answers a thousand at the same time${skipped}`, async () => {
    await using server = await startDnsServer(program)
    const ask = () => answered({ query: 'v6.test', recordType: 'AAAA', ...at(server) })
    const outcomes = await Promise.all(Array.from({ length: 1000 }, ask))
    for (const { observation } of outcomes) expect(observation.response.json.Answer.length).toBe(1)
  })
})
