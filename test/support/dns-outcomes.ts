import type { DnsJson, DnsObservation } from '../../src/contract/checks/dns/observation.ts'

const json: DnsJson = {
  Answer: [],
  Question: [{ name: 'a.test.', type: 'A' }],
  Status: 'NOERROR',
  TC: false,
  RD: true,
  RA: true,
  AD: false,
  CD: false,
}

/** What a runner saw of an answer like this; NOERROR without records unless said otherwise. */
export function dnsObservation(answer: Partial<DnsJson> = {}, text = ''): DnsObservation {
  return {
    question: { name: 'a.test.', type: 'A' },
    nameServer: null,
    protocol: 'UDP',
    addresses: [],
    sent: 1,
    unfit: 0,
    response: {
      server: '192.0.2.53:53',
      protocol: 'UDP',
      bytes: 40,
      text,
      json: { ...json, ...answer },
      truncated: false,
    },
  }
}
