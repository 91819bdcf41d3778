import type { IcmpObservation } from '../../src/contract/checks/icmp/observation.ts'
import type { ObservedOf } from '../../src/contract/outcome.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'
import { icmpRequest } from './ping-once.ts'

/** An ICMP check with the presets of the API. */
export function icmpDefinition(part: Partial<DefinitionOf<'ICMP'>>): DefinitionOf<'ICMP'> {
  return {
    type: 'ICMP',
    checkId: '6f1c2b58-30a1-4d0b-9b0c-0c3b7e0f4a11',
    version: 1,
    name: 'ping',
    shouldFail: false,
    degradedResponseTimeMs: null,
    maxResponseTimeMs: null,
    retryStrategy: null,
    doubleCheck: false,
    retriesElsewhere: false,
    variables: [],
    clientCertificates: [],
    request: icmpRequest({}),
    settings: { degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 },
    ...part,
  }
}

const latency = { avg: 2.5, min: 1.25, max: 4.75, stdDev: 1.5 }
const phasesUs = { dns: null, connect: null, tls: null, send: null, firstByte: 1000, download: null }

/** Three pings, of which the second is lost. */
export function icmpOutcome(part: Partial<IcmpObservation>): ObservedOf<'ICMP'> {
  const observation: IcmpObservation = {
    hostname: 'a.test',
    resolvedIp: '192.0.2.1',
    ipFamily: 'IPv4',
    pingCount: 3,
    packetsSent: 3,
    packetsReceived: 2,
    packetSize: 64,
    packetLoss: 0,
    latency,
    pingResults: [
      { sequence: 1, success: true, rtt: 1.25, ttl: 57 },
      { sequence: 2, success: false, rtt: null, ttl: null },
      { sequence: 3, success: true, rtt: 4.75, ttl: 57 },
    ],
    refusals: [{ code: 'EHOSTUNREACH', from: '192.0.2.254', count: 1 }],
    addresses: [{ address: '192.0.2.1', fate: 'connected', code: null, tookUs: 1000 }],
    ...part,
  }
  const timings = { startedAt: 1_790_000_000_000, totalUs: 1000, phasesUs }
  return { type: 'ICMP', kind: 'observed', timings, observation }
}
