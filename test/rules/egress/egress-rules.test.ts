import { describe, expect, test } from 'vitest'
import { describeEgressRules, parseEgressRules } from '../../../src/rules/egress/egress-rules.ts'

function rules(text: string) {
  const parsed = parseEgressRules(text)
  if ('fault' in parsed) throw new Error(parsed.fault)
  const { networks, hosts } = parsed.rules
  return { networks: networks.map(([address, bits]) => `${address}/${bits}`), hosts }
}

describe('egress rules', () => {
  test.each([
    ['', [], []],
    ['  ', [], []],
    ['10.0.0.0/8', ['10.0.0.0/8'], []],
    ['10.1.2.3', ['10.1.2.3/32'], []],
    ['0.0.0.0/0,::/0', ['0.0.0.0/0', '::/0'], []],
    ['fd00::/8, 2001:DB8::1', ['fd00::/8', '2001:db8::1/128'], []],
    ['db.Internal., *.example.com', [], ['db.internal', '*.example.com']],
    [
      'localhost,a_b.example,xn--bcher-kva.example',
      [],
      ['localhost', 'a_b.example', 'xn--bcher-kva.example'],
    ],
    [' 10.0.0.0/8 ,db ', ['10.0.0.0/8'], ['db']],
  ] as const)('reads %j', (text, networks, hosts) => {
    expect(rules(text)).toEqual({ networks, hosts })
  })

  const noIpv4 = 'is not an IPv4 address: that is four numbers from 0 to 255'
  const noAddress = 'is not a CIDR: before the / stands no address in full'
  const noBits4 = 'is not a CIDR: after the / stands no whole number from 0 to 32'
  const asterisk = 'has a * that is not its whole first label, as in *.example.com'
  const port = 'has a port: a rule is of a host and all its ports'
  const nothing = 'is neither an address, a CIDR nor a host name'

  test.each([
    ['10.0.0.0/33', noBits4],
    ['10.0.0.0/-1', noBits4],
    ['10.0.0.0/', noBits4],
    ['10.0.0.0/8/8', noBits4],
    ['fd00::/129', 'is not a CIDR: after the / stands no whole number from 0 to 128'],
    ['10.0.0/8', noAddress],
    ['a/b', noAddress],
    ['10.0.0', noIpv4],
    ['10.1', noIpv4],
    ['256.1.1.1', noIpv4],
    ['0x7f.0.0.1', noIpv4],
    ['0177.0.0.1', noIpv4],
    ['2130706433', noIpv4],
    ['example.0X7F.', noIpv4],
    ['fd00:::1', 'is not an IPv6 address'],
    ['*', asterisk],
    ['*.', asterisk],
    ['a.*.example.com', asterisk],
    ['*.10.in-addr.*', asterisk],
    ['http://example.com', 'is a URL: its host alone is a rule'],
    ['http://x', 'is a URL: its host alone is a rule'],
    ['example.com:443', port],
    ['10.0.0.1:80', port],
    ['exa mple.com', nothing],
    ['-a.example', nothing],
    ['a..example', nothing],
    [`${'a'.repeat(64)}.example`, nothing],
  ])('names %j, and what is wrong with it', (item, reason) => {
    expect(parseEgressRules(`10.0.0.0/8, ${item}`)).toEqual({ fault: `${JSON.stringify(item)} ${reason}` })
  })

  test.each([' , ,', '10.0.0.0/8,', ',a', 'a,,b'])('has no empty items: %j', (text) => {
    expect(parseEgressRules(text)).toEqual({ fault: 'an item is empty' })
  })

  test('are told with what each was read as', () => {
    const parsed = parseEgressRules('10.0.0.0/8,10.1.2.3,fd00::/8,fd00::1,nonsense,*.example.com')
    expect('rules' in parsed && describeEgressRules(parsed.rules)).toEqual([
      'CIDR 10.0.0.0/8',
      'address 10.1.2.3',
      'CIDR fd00::/8',
      'address fd00::1',
      'host nonsense',
      'hosts under example.com',
    ])
  })

  test('are bounded in number and length', () => {
    expect(rules(Array(1000).fill('a').join()).hosts).toHaveLength(1000)
    expect(parseEgressRules(Array(1001).fill('a').join())).toEqual({ fault: 'more than 1000 items' })
    expect(parseEgressRules('a'.repeat(100_001))).toEqual({ fault: 'longer than 100000 characters' })
    expect(parseEgressRules(`${'!'.repeat(5000)}`)).toEqual({
      fault: `"${'!'.repeat(100)}" is neither an address, a CIDR nor a host name`,
    })
  })
})
