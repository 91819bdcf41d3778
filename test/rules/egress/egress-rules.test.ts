import { describe, expect, test } from 'vitest'
import { parseEgressRules } from '../../../src/rules/egress/egress-rules.ts'

function rules(text: string) {
  const parsed = parseEgressRules(text)
  if ('fault' in parsed) throw new Error(parsed.fault)
  const { networks, hosts } = parsed.rules
  return { networks: networks.map(([address, bits]) => `${address}/${bits}`), hosts }
}

describe('egress rules', () => {
  test.each([
    ['', [], []],
    [' , ,', [], []],
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

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '10.1',
    '256.1.1.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    'example.0x7f',
    'fd00::/129',
    'fd00:::1',
    '*',
    '*.',
    'a.*.example.com',
    'http://example.com',
    'example.com:443',
    'exa mple.com',
    '-a.example',
    'a..example',
    `${'a'.repeat(64)}.example`,
  ])('names %j as a fault', (item) => {
    expect(parseEgressRules(`10.0.0.0/8, ${item}`)).toEqual({
      fault: `${JSON.stringify(item)} is neither an address, a CIDR nor a host name`,
    })
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
