import { expect, test } from 'vitest'
import { readServerConfig } from '../../src/server/config.ts'

test.each([
  ['PICKET_API_KEY', 'k'.repeat(201)],
  ['PICKET_API_KEY', 'k'.repeat(19)],
  ['PICKET_EMBEDDED_AGENT_KEY', `pl_${'k'.repeat(198)}`],
])('%s is refused when no request could carry it %#', (name, value) => {
  expect(() => readServerConfig({ [name]: value })).toThrow(name)
  expect(() => readServerConfig({ [name]: value })).not.toThrow(value)
})

test('the longest keys are taken', () => {
  const config = readServerConfig({
    PICKET_API_KEY: 'k'.repeat(200),
    PICKET_EMBEDDED_AGENT_KEY: `pl_${'k'.repeat(197)}`,
  })
  expect(config.apiKey?.reveal()).toHaveLength(200)
})

test('proxies are trusted that are named as addresses, as nets, or by the three names', () => {
  const read = (text: string) => readServerConfig({ PICKET_TRUST_PROXY: text }).trustedProxies
  expect(read('loopback, 10.0.0.0/8 2001:db8::1')).toEqual(['loopback', '10.0.0.0/8', '2001:db8::1'])
  expect(readServerConfig({}).trustedProxies).toEqual([])
})

test.each(['true', '1', '0.0.0.0/0', '::/0', '10.0.0.0/33', 'proxy.example', 'fe80::1%eth0'])(
  'trust in %s is refused',
  (text) =>
    expect(() => readServerConfig({ PICKET_TRUST_PROXY: text })).toThrow(/PICKET_TRUST_PROXY must be a list/),
)
