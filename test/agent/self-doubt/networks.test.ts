import { describe, expect, test } from 'vitest'
import type { AttemptsPlan } from './support/attempts-process.ts'
import { attemptsInNetwork, namedFor, whyNoNetworks } from './support/attempts-process.ts'

const attachedNet =
  'ip link add v0 type veth peer name v1; ip addr add 10.1.2.1/24 dev v0; ip link set v0 up; ip link set v1 up'
const absentGateway = `${attachedNet}; ip route add default via 10.1.2.9`
/** A gateway that takes every packet and gives none back. */
const deadGateway = `${attachedNet}; ip neigh add 10.1.2.9 lladdr 02:00:00:00:00:09 dev v0; ip route add default via 10.1.2.9`

const self = { host: '10.1.2.1', port: 53 }
const gateway = { host: '10.1.2.9', port: 53 }
const elsewhere: AttemptsPlan = { url: 'http://198.51.100.7/', attemptMs: 200 }
const patient: AttemptsPlan = { ...elsewhere, attemptMs: 10_000 }
const byName: AttemptsPlan = { url: 'http://target.invalid/', attemptMs: 1000 }

describe.skipIf(whyNoNetworks !== null)(namedFor('in a network of its own, an attempt'), () => {
  test.concurrent.each<[string, string, AttemptsPlan, string | null]>([
    ['where there is none but loopback', ':', elsewhere, 'no-route'],
    [
      'over IPv6 where there is none',
      attachedNet,
      { url: 'http://[2001:db8::7]/', ipFamily: 'IPv6' },
      'no-route',
    ],
    [
      'to loopback where that is down',
      'ip link set lo down',
      { url: 'http://127.0.0.1:9/', attemptMs: 500 },
      null,
    ],
    ['to elsewhere, where there is only an attached net', attachedNet, elsewhere, 'no-route'],
    ['to a dead host of an attached net', attachedNet, { url: 'http://10.1.2.9/' }, null],
    ['with a cable that is pulled', `${absentGateway}; ip link set v1 down`, patient, 'no-route'],
    ['through a gateway that is gone', absentGateway, patient, null],
    ['through a dead gateway, without a canary', deadGateway, elsewhere, null],
    [
      'through a dead gateway that is the canary',
      deadGateway,
      { ...elsewhere, canaries: [gateway] },
      'no-egress',
    ],
    ['with a canary that lives', deadGateway, { ...elsewhere, canaries: [gateway, self] }, null],
    [
      'whose name servers cannot be reached',
      ':',
      { ...byName, nameServers: ['198.51.100.53'] },
      'resolver-unreachable',
    ],
    [
      'whose name servers say nothing',
      deadGateway,
      { ...byName, nameServers: ['198.51.100.53'] },
      'resolver-unreachable',
    ],
    [
      "whose operating system's resolver says nothing",
      'ip link set lo up',
      { ...byName, useOsDnsResolver: true },
      'resolver-unreachable',
    ],
    [
      'whose name servers and canaries say nothing',
      deadGateway,
      { ...byName, nameServers: ['198.51.100.53'], canaries: [gateway] },
      'no-egress',
    ],
    [
      'whose canary has a name that nobody can look up',
      deadGateway,
      { ...byName, nameServers: ['198.51.100.53'], canaries: [{ host: 'canary.invalid', port: 53 }] },
      'resolver-unreachable',
    ],
  ])(
    '%s',
    async (_, setUp, plan, reason) => {
      expect(await attemptsInNetwork(plan, setUp)).toMatchObject([{ kind: 'failed', reason }])
    },
    20_000,
  )
})
