import { afterEach, describe, expect, test } from 'vitest'
import { readServerConfig } from '../../src/server/config.ts'
import { contractFaults, contractIsHere, skippedWithoutContract } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService | undefined
afterEach(async () => {
  await service?.close()
  service = undefined
})

const get = async (url: string, setting = '') => {
  const { staticIps } = readServerConfig({ PICKET_STATIC_IPS: setting })
  service = await startTestService({ staticIps })
  return service.app.inject({ method: 'GET', url })
}

describe('static IPs, without a key', () => {
  const setting =
    'eu-west-1=203.0.113.7,eu-west-1=203.0.113.8 office=198.51.100.3, 192.0.2.1, eu-west-1=2001:db8::/64, office=2001:db8:1::5, 2001:db8:2::/48'

  test.each([
    ['/v1/static-ips', ['203.0.113.7', '203.0.113.8', '198.51.100.3', '192.0.2.1']],
    ['/v1/static-ipv6s', ['2001:db8::/64', '2001:db8:1::5/128', '2001:db8:2::/48']],
    ['/v1/static-ips-by-region', { 'eu-west-1': ['203.0.113.7', '203.0.113.8'], office: ['198.51.100.3'] }],
    ['/v1/static-ipv6s-by-region', { 'eu-west-1': '2001:db8::/64', office: '2001:db8:1::5/128' }],
  ])('%s gives what the operator set', async (url, expected) => {
    expect((await get(url, setting)).json()).toEqual(expected)
  })

  test.each([
    ['/v1/static-ips.txt', '203.0.113.7\n203.0.113.8\n198.51.100.3\n192.0.2.1\n'],
    ['/v1/static-ipv6s.txt', '2001:db8::/64\n2001:db8:1::5/128\n2001:db8:2::/48\n'],
  ])('%s gives them one a line', async (url, expected) => {
    const answer = await get(url, setting)
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.body).toBe(expected)
  })

  test.each([
    ['/v1/static-ips', '[]'],
    ['/v1/static-ipv6s', '[]'],
    ['/v1/static-ips-by-region', '{}'],
    ['/v1/static-ipv6s-by-region', '{}'],
    ['/v1/static-ips.txt', ''],
    ['/v1/static-ipv6s.txt', ''],
  ])('%s is empty where nothing is said', async (url, expected) => {
    const answer = await get(url)
    expect([answer.statusCode, answer.body]).toEqual([200, expected])
  })
})

describe('PICKET_STATIC_IPS', () => {
  test.each([
    '203.0.113.300',
    '203.0.113.0/24',
    'eu west=203.0.113.7',
    '=203.0.113.7',
    'eu-west-1=',
    'a=b=203.0.113.7',
    '2001:db8::/129',
    'fe80::1%eth0',
    'eu-west-1=2001:db8::/64,eu-west-1=2001:db8:1::/64',
    'host.example',
  ])('refuses %s and says what is allowed', (value) => {
    expect(() => readServerConfig({ PICKET_STATIC_IPS: value })).toThrow(
      /PICKET_STATIC_IPS must be a list such as eu-west-1=203\.0\.113\.7/,
    )
  })
})

describe('locations, without a key', () => {
  test('are all data-center locations, each with its name', async () => {
    const locations = (await get('/v1/locations')).json()
    expect(locations).toHaveLength(22)
    expect(locations).toContainEqual({ region: 'sa-east-1', name: 'São Paulo' })
  })

  test.skipIf(!contractIsHere)(`have the shape of the contract${skippedWithoutContract}`, async () => {
    expect(contractFaults('GET', '/v1/locations', 200, (await get('/v1/locations')).json())).toEqual([])
  })
})
