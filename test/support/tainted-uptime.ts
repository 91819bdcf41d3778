import { domainToUnicode } from 'node:url'
import fc from 'fast-check'
import type { CheckDefinition } from '../../src/contract/run.ts'
import { apiDefinition } from './api-definition.ts'
import { dnsDefinition } from './dns-definition.ts'
import { icmpDefinition } from './icmp-outcome.ts'
import { icmpRequest } from './ping-once.ts'
import { anySecret, headerSecret, tracesOf } from './secret-traces.ts'
import { tcpAssertion, tcpDefinition } from './tcp-attempt.ts'
import type { TelltaleTargets } from './telltale-targets.ts'
import { urlDefinition } from './url-definition.ts'

const inLabel = fc.string({ unit: fc.constantFrom(...'aB3éü漢ж'), maxLength: 6 })
/** Of the second nothing is left in punycode that another secret has a part of. */
const cores = ['k9Qz7', 'кл9юч'] as const
const labelSecret = fc.tuple(inLabel, fc.constantFrom(...cores), inLabel).map((parts) => parts.join(''))
const inUrl = headerSecret.map((text) => text.replace(/[#?&/\\%.+]/g, '-'))

/** A secret for each place of a check without scripts and headers that may hold one; `elsewhere` the target only knows. */
export const uptimeSecrets = fc.record({
  data: anySecret,
  escaped: anySecret,
  path: inUrl,
  query: inUrl,
  host: labelSecret,
  zone: labelSecret,
  server: labelSecret,
  elsewhere: anySecret,
})
export type UptimeSecrets = typeof uptimeSecrets extends fc.Arbitrary<infer T> ? T : never

/** One of each, in names that are told in punycode. */
export function sampleSecrets(): UptimeSecrets {
  const [secrets] = fc.sample(uptimeSecrets, 1)
  if (!secrets) throw new Error('no sample')
  const beyondAscii = (secret: string) => secret.replace(cores[0], cores[1])
  const { host, zone, server } = secrets
  return { ...secrets, host: beyondAscii(host), zone: beyondAscii(zone), server: beyondAscii(server) }
}

const assertion = { comparison: 'EQUALS', property: '', target: '', regex: null } as const

/** Checks of every type that hold all of them, by what comes of each. */
export function taintedUptimeChecks(secrets: UptimeSecrets, targets: TelltaleTargets, closedPort: number) {
  const variables = Object.entries(secrets).map(([key, value]) => ({
    key,
    value,
    locked: false,
    secret: true,
  }))
  const tainted = { variables }
  const hostname = 'a-{{{host}}}.test'
  const data = 'AUTH {{{data}}} {{escaped}}\r\n'
  const onData = [
    tcpAssertion({ comparison: 'EQUALS', target: secrets.data }),
    tcpAssertion({ comparison: 'EQUALS', property: '(k9.*)', target: secrets.elsewhere }),
  ]
  const question = { query: '{{{zone}}}.test', recordType: 'TXT' } as const
  // No template: the name of the server has it as it is.
  const server = { nameServer: `${secrets.server}.test`, port: targets.nameServer.port }
  const onAnswer = [
    { ...assertion, source: 'TEXT_ANSWER', target: secrets.elsewhere },
    { ...assertion, source: 'TEXT_ANSWER', property: '(k9[^]*)', target: secrets.zone },
    { ...assertion, source: 'JSON_ANSWER', property: '$.Answer[0].data', target: secrets.data },
    { ...assertion, source: 'RESPONSE_CODE', target: 'NXDOMAIN' },
  ] as const
  const url = (mode: string) =>
    urlDefinition(
      `${targets.http.origin.replace('127.0.0.1', hostname)}/${mode}/{{{path}}}?q={{{query}}}&e={{query}}`,
    ) ?? apiDefinition('')
  const dns = { ...question, ...server, assertions: [...onAnswer] }
  const checks = {
    'TCP observed': tcpDefinition(targets.tcp.port, { data, assertions: onData }, tainted),
    'TCP observed by its name': tcpDefinition(
      targets.tcp.port,
      { hostname, data, assertions: onData },
      tainted,
    ),
    'TCP broken off': tcpDefinition(targets.resettingTcp.port, { data, assertions: onData }, tainted),
    'TCP refused': tcpDefinition(closedPort, { hostname, data }, tainted),
    'TCP without an address': tcpDefinition(closedPort, { hostname, ipFamily: 'IPv6' }, tainted),
    'URL observed': { ...url('plain'), ...tainted },
    'URL observed after a redirect': { ...url('redirected'), ...tainted },
    'URL broken off': { ...url('cut'), ...tainted },
    'DNS observed over UDP': dnsDefinition(dns, tainted),
    'DNS observed over TCP': dnsDefinition({ ...dns, protocol: 'TCP' }, tainted),
    'DNS refused': dnsDefinition({ ...dns, port: closedPort }, tainted),
    'DNS that asks for no name': dnsDefinition({ ...dns, query: '{{{elsewhere}}}..{{{zone}}}' }, tainted),
    'ICMP observed': icmpDefinition({ request: icmpRequest({ hostname }), ...tainted }),
    'ICMP without an address': icmpDefinition({
      request: icmpRequest({ hostname, ipFamily: 'IPv6' }),
      ...tainted,
    }),
  } satisfies Record<string, CheckDefinition>
  return checks
}

/** The names of all ways in which a text tells a secret, those of names and their servers too. */
export const allTracesOf = (secret: string, text: string): string[] => [
  ...tracesOf(secret, text),
  ...nameTracesOf(secret, text),
]

function nameTracesOf(secret: string, text: string): string[] {
  const lower = secret.toLowerCase()
  const labels = Array.from(text.matchAll(/xn--[a-z\d-]+/gi), ([label]) => domainToUnicode(label))
  const unescaped = text.replaceAll('" "', '').replace(/(?:\\\d{3})+|\\(.)/g, (written, sign) => {
    const bytes = Array.from(written.matchAll(/\d{3}/g), ([digits]) => Number(digits))
    return sign ?? Buffer.from(bytes).toString()
  })
  return [
    ...(labels.some((label) => label.includes(lower)) ? ['in punycode'] : []),
    ...(text.includes(lower) ? ['in lower case'] : []),
    ...(unescaped.includes(secret) ? ['with the escapes of DNS'] : []),
  ]
}
