import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEgressPolicy, type EgressPolicy } from '../../../src/rules/egress/egress-policy.ts'
import { type EgressRules, parseEgressRules } from '../../../src/rules/egress/egress-rules.ts'

function rules(text: string): EgressRules {
  const parsed = parseEgressRules(text)
  if ('fault' in parsed) throw new Error(parsed.fault)
  return parsed.rules
}

function policy({ allow = '', deny = '' } = {}): EgressPolicy {
  return createEgressPolicy({ allow: rules(allow), deny: rules(deny) })
}

/** Of a literal. */
function forbids(address: string, texts: { allow?: string; deny?: string } = {}): boolean {
  return policy(texts).forbidsAddress(address, address)
}

const metadata = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.0.0',
  '169.254.255.255',
  'fe80::1',
  'fe80::1%eth0',
  'febf:ffff::1',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  'fd00:a9fe:a9fe::1',
  'fd00:100::100:200',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
]

/** 169.254.169.254 and 10.1.2.3, as IPv6 can write or lead to them. */
const disguised = [
  ['mapped', '::ffff:169.254.169.254', '::ffff:10.1.2.3'],
  ['mapped, in hexadecimal', '::ffff:a9fe:a9fe', '::ffff:a01:203'],
  ['mapped, in full', '0:0:0:0:0:ffff:a9fe:a9fe', '0:0:0:0:0:ffff:0a01:0203'],
  ['compatible', '::a9fe:a9fe', '::a01:203'],
  ['translated', '::ffff:0:a9fe:a9fe', '::ffff:0:a01:203'],
  ['6to4', '2002:a9fe:a9fe::1', '2002:a01:203::1'],
  ['NAT64, well-known', '64:ff9b::a9fe:a9fe', '64:ff9b::a01:203'],
  ['NAT64, own prefix of 48 bits', '64:ff9b:1:a9fe:a9:fe00::', '64:ff9b:1:a01:2:300::'],
  ['NAT64, own prefix of 56 bits', '64:ff9b:1:ffa9:fe:a9fe::', '64:ff9b:1:ff0a:1:203::'],
  ['NAT64, own prefix of 64 bits', '64:ff9b:1:ffff:a9:fea9:fe00:0', '64:ff9b:1:ffff:a:102:300:0'],
  ['NAT64, own prefix of 96 bits', '64:ff9b:1:ffff:ff:ffff:a9fe:a9fe', '64:ff9b:1:ffff:ff:ffff:a01:203'],
  ['Teredo, as its server', '2001:0:a9fe:a9fe:8000:ffff:ffff:ffff', '2001:0:a01:203:8000:ffff:ffff:ffff'],
  ['Teredo, as its client', '2001:0:808:808:8000:ffff:5601:5601', '2001:0:808:808:8000:ffff:f5fe:fdfc'],
  ['ISATAP', '2001:db8::5efe:a9fe:a9fe', '2001:db8::5efe:a01:203'],
  ['ISATAP, global', '2001:db8::200:5efe:a9fe:a9fe', '2001:db8::200:5efe:a01:203'],
] as const

describe('the egress policy', () => {
  test.each(metadata)('never allows %s', (address) => {
    expect(forbids(address)).toBe(true)
    expect(forbids(address, { allow: `0.0.0.0/0,::/0,${address.replace(/%.*/, '')}` })).toBe(true)
    expect(policy({ allow: 'good.example' }).forbidsAddress(address, 'good.example')).toBe(true)
  })

  test.each(disguised)('sees a metadata address through IPv6 that is %s', (_how, address) => {
    expect(forbids(address)).toBe(true)
    expect(forbids(address, { allow: '::/0' })).toBe(true)
  })

  test.each(disguised)('sees a denied address through IPv6 that is %s', (_how, _metadata, address) => {
    expect(forbids(address)).toBe(false)
    expect(forbids(address, { deny: '10.1.0.0/16' })).toBe(true)
  })

  test.each([
    'metadata.google.internal',
    'METADATA.google.internal.',
    'metadata.goog',
    'instance-data.ec2.internal',
  ])('never allows the name %s, whatever its address', (hostname) => {
    const open = policy({ allow: `0.0.0.0/0,${hostname}` })
    expect(open.forbidsHost(hostname)).toBe(true)
    expect(open.forbidsUnseen(hostname)).toBe(true)
    expect(open.forbidsAddress('192.0.2.1', hostname)).toBe(true)
  })

  test.each([
    '127.0.0.1',
    '::1',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    'fd12::1',
    '8.8.8.8',
  ])('allows %s where nothing is said', (address) => expect(forbids(address)).toBe(false))

  test.each([
    ['0.0.0.0', '127.0.0.0/8'],
    ['0.1.2.3', '127.0.0.0/8'],
    ['::', '::1'],
    ['::ffff:0.0.0.0', '127.0.0.0/8'],
    ['::ffff:127.0.0.1', '127.0.0.0/8'],
  ])('takes %s for this host: denied with %s', (address, deny) => {
    expect(forbids(address, { deny })).toBe(true)
    expect(forbids(address, { allow: deny })).toBe(false)
    expect(forbids(address, { allow: '10.0.0.0/8' })).toBe(true)
  })

  test.each([
    '',
    'localhost',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '127.1',
    '127.0.0.01',
    '1.2.3.4.5',
    '1.2.3.256',
    '[::1]',
    '::1::',
    '12345::1',
    ' 127.0.0.1',
    '127.0.0.1/8',
  ])('refuses %j, which is no address in full', (address) => {
    expect(forbids(address)).toBe(true)
    expect(policy({ allow: 'a.example' }).forbidsAddress(address, 'a.example')).toBe(true)
  })

  test('lets deny beat allow', () => {
    const texts = { allow: '10.0.0.0/8,*.example.com', deny: '10.1.0.0/16,bad.example.com' }
    expect(forbids('10.2.0.1', texts)).toBe(false)
    expect(forbids('10.1.0.1', texts)).toBe(true)
    expect(policy(texts).forbidsAddress('10.1.0.1', 'good.example.com')).toBe(true)
    expect(policy(texts).forbidsAddress('10.2.0.1', 'bad.example.com')).toBe(true)
    expect(policy(texts).forbidsHost('bad.example.com')).toBe(true)
    expect(policy(texts).forbidsHost('good.example.com')).toBe(false)
  })

  test('refuses all else where anything is allowed', () => {
    const { forbidsAddress } = policy({ allow: '10.0.0.0/8,2001:db8::/32,*.example.com' })
    expect(forbidsAddress('10.9.9.9', 'any.invalid')).toBe(false)
    expect(forbidsAddress('11.0.0.1', 'any.invalid')).toBe(true)
    expect(forbidsAddress('2001:db8:9::1', 'any.invalid')).toBe(false)
    expect(forbidsAddress('2001:db9::1', 'any.invalid')).toBe(true)
    expect(forbidsAddress('11.0.0.1', 'a.b.EXAMPLE.com.')).toBe(false)
    expect(forbidsAddress('11.0.0.1', 'example.com')).toBe(true)
    expect(forbidsAddress('11.0.0.1', 'notexample.com')).toBe(true)
  })

  test('allows by what is within only where it is the same host', () => {
    const allow = '10.0.0.0/8'
    expect(forbids('::ffff:10.0.0.1', { allow })).toBe(false)
    expect(forbids('64:ff9b::10.0.0.1', { allow })).toBe(false)
    expect(forbids('2002:0a00:0001::1', { allow })).toBe(true)
    expect(forbids('2001:db8::5efe:10.0.0.1', { allow })).toBe(true)
  })

  test('takes the zeros of an own NAT64 prefix for no address', () => {
    expect(forbids('64:ff9b:1::8.8.8.8', { deny: '0.0.0.0/8,127.0.0.0/8' })).toBe(false)
  })

  test('judges a host that is not seen by its name alone', () => {
    expect(policy().forbidsUnseen('a.example')).toBe(false)
    expect(policy({ allow: '10.0.0.0/8' }).forbidsUnseen('a.example')).toBe(true)
    expect(policy({ allow: '10.0.0.0/8,a.example' }).forbidsUnseen('A.example')).toBe(false)
    expect(policy({ deny: 'a.example' }).forbidsUnseen('a.example')).toBe(true)
    expect(policy({ deny: '10.0.0.0/8' }).forbidsUnseen('a.example')).toBe(false)
  })

  test('decides about any text, and allows none but addresses', () => {
    const { forbidsAddress } = policy()
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV4Extended(), fc.ipV6()), (text) => {
        expect(forbidsAddress(text, text) || isIP(text) !== 0).toBe(true)
      }),
    )
  })

  test('denies exactly the net that is denied', () => {
    const { forbidsAddress } = policy({ deny: '100.64.0.0/10' })
    fc.assert(
      fc.property(fc.nat(0xffffff), (low) => {
        const bytes = [100, low >>> 16, (low >>> 8) & 0xff, low & 0xff]
        fc.pre(bytes.join('.') !== '100.100.100.200')
        const second = bytes[1] ?? 0
        expect(forbidsAddress(bytes.join('.'), '')).toBe(second >= 64 && second < 128)
      }),
    )
  })
})
