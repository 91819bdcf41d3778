import { describe, expect, test } from 'vitest'
import { parseResolvConf } from '../../../src/runner/dial/resolv-conf.ts'

const nothing = { nameServers: [], searchDomains: [], ndots: 1 }

describe('a resolv.conf', () => {
  test.each([
    ['', nothing],
    ['# nameserver 192.0.2.1\n; search a.example', nothing],
    ['nameserver 192.0.2.1\nnameserver 192.0.2.2', { ...nothing, nameServers: ['192.0.2.1', '192.0.2.2'] }],
    ['nameserver\t2001:db8::1  # ours\r\n', { ...nothing, nameServers: ['[2001:db8::1]'] }],
    ['nameserver dns.example\nnameserver\nnameserver 1.2.3', nothing],
    ['nameserver fe80::1%eth0\nnameserver 192.0.2.1', { ...nothing, nameServers: ['192.0.2.1'] }],
    ['search a.example B.example.', { ...nothing, searchDomains: ['a.example', 'b.example'] }],
    ['search a.example\nsearch b.example', { ...nothing, searchDomains: ['b.example'] }],
    ['search a.example b.example\ndomain c.example', { ...nothing, searchDomains: ['c.example'] }],
    ['domain c.example d.example', { ...nothing, searchDomains: ['c.example'] }],
    ['search .', nothing],
    ['options rotate ndots:5 timeout:1', { ...nothing, ndots: 5 }],
    ['options ndots:0', { ...nothing, ndots: 0 }],
    ['options ndots:2\noptions edns0', { ...nothing, ndots: 2 }],
    ['options ndots:99', { ...nothing, ndots: 15 }],
    ['options ndots:many', nothing],
  ])('is read: %j', (text, conf) => {
    expect(parseResolvConf(text)).toEqual(conf)
  })

  test('is bounded', () => {
    const many = Array.from({ length: 100 }, (_, at) => `nameserver 192.0.2.${at}`)
    const domains = Array.from({ length: 100 }, (_, at) => `d${at}.example`)
    const conf = parseResolvConf(`${many.join('\n')}\nsearch ${domains.join(' ')}`)
    expect(conf.nameServers).toHaveLength(10)
    expect(conf.searchDomains).toHaveLength(32)
  })
})
