import { describe, expect, test } from 'vitest'
import {
  attemptsInNetwork,
  namedFor,
  whyNoNetworks,
} from '../../agent/self-doubt/support/attempts-process.ts'

const withoutIpv6 = 'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6'
const wired =
  'ip link add v0 type veth peer name v1; ip addr add 10.1.2.1/24 dev v0; ip link set v0 up; ip link set v1 up'
const fewPorts = 'echo 40000 40009 > /proc/sys/net/ipv4/ip_local_port_range'

const missing = { kind: 'thrown', code: 'ADDRESS_FAMILY_MISSING' }
const outOfSockets = { kind: 'thrown', code: 'OUT_OF_SOCKETS' }

describe.skipIf(whyNoNetworks !== null)(namedFor('on a machine without IPv6, an attempt'), () => {
  test.concurrent.each([
    ['at an address elsewhere', withoutIpv6, 'http://[2001:db8::7]/'],
    ['at its own loopback', withoutIpv6, 'http://[::1]:9/'],
    ['where there is an IPv4 network', `${wired}; ${withoutIpv6}`, 'http://[2001:db8::7]/'],
    ['whose ports are few', `${fewPorts}; ${withoutIpv6}`, 'http://[2001:db8::7]/'],
  ])('over IPv6 %s says that there is no such address', async (_where, setUp, url) => {
    expect(await attemptsInNetwork({ url, ipFamily: 'IPv6' }, setUp)).toEqual([missing])
  })

  test('over IPv4 says of the target what there is to say', async () => {
    const ended = await attemptsInNetwork({ url: 'http://127.0.0.1:9/' }, withoutIpv6)
    expect(ended).toMatchObject([{ kind: 'failed', failure: 'refused', reason: null }])
  })
})

describe.skipIf(whyNoNetworks !== null)(
  namedFor('on a machine whose ports are all in use, an attempt'),
  () => {
    test('says so, and nothing of addresses', { timeout: 20_000 }, async () => {
      const ended = await attemptsInNetwork({ url: '', attempts: 60, answerAfter: 5 }, fewPorts)
      expect(ended).toContainEqual(outOfSockets)
      expect(ended).not.toContainEqual(missing)
    })
  },
)
