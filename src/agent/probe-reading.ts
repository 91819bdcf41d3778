import { isIPv6 } from 'node:net'
import type { DnsEvidence, DnsObservation } from '../contract/checks/dns/observation.ts'
import type { HttpEvidence } from '../contract/checks/http-observation.ts'
import type { IcmpEvidence } from '../contract/checks/icmp/observation.ts'
import type { TlsFacts } from '../contract/connection.ts'
import { evidenceOf, type Outcome } from '../contract/outcome.ts'
import type { Result } from '../contract/result.ts'
import type { CheckDefinition, Run } from '../contract/run.ts'
import type { PhasesUs } from '../contract/timings.ts'
import type { ProbeReading, ProbeSample } from '../health/probe-metrics.ts'

/** One result may be late, and another missing, before a check is taken to be gone. */
const keptIntervals = 3
const keptBesidesMs = 5 * 60_000

/** A result as the blackbox exporter would show it; null for one that says nothing final of its target. */
export function probeReading(
  { resultType, conclusion }: Pick<Result, 'resultType' | 'conclusion'>,
  { name, type }: Pick<CheckDefinition, 'name' | 'type'>,
  { checkId, location, intervalMs }: Pick<Run, 'checkId' | 'location' | 'intervalMs'>,
): ProbeReading | null {
  if (resultType !== 'FINAL' || conclusion.kind !== 'judged') return null
  const { outcome, verdict } = conclusion
  const { totalUs, phasesUs } = outcome.timings
  const samples: ProbeSample[] = [
    { name: 'probe_success', value: verdict.state === 'failing' ? 0 : 1 },
    { name: 'probe_duration_seconds', value: totalUs / 1e6 },
    ...known('probe_dns_lookup_time_seconds', phasesUs.dns === null ? null : phasesUs.dns / 1e6),
    ...samplesOf(outcome),
  ]
  const keepMs = keptIntervals * intervalMs + keptBesidesMs
  return { checkId, checkName: name, checkType: type, location, samples, keepMs }
}

function samplesOf(outcome: Outcome): readonly ProbeSample[] {
  const { phasesUs } = outcome.timings
  switch (outcome.type) {
    case 'API':
    case 'HEARTBEAT':
    case 'URL':
      return httpSamples(evidenceOf(outcome), phasesUs)
    case 'DNS':
      return dnsSamples(evidenceOf(outcome), phasesUs)
    case 'ICMP':
      return icmpSamples(evidenceOf(outcome), phasesUs)
    case 'TCP':
      return ipProtocol(evidenceOf(outcome).remoteAddress)
  }
}

/** A phase that was not reached took no time there. */
const phase = (
  name: ProbeSample['name'],
  label: string,
  ...partsUs: readonly (number | null)[]
): ProbeSample => ({ name, label, value: partsUs.reduce<number>((sum, us) => sum + (us ?? 0), 0) / 1e6 })

const known = (name: ProbeSample['name'], value: number | null): ProbeSample[] =>
  value === null ? [] : [{ name, value }]

const ipProtocol = (address: string | null): ProbeSample[] =>
  known('probe_ip_protocol', address === null ? null : isIPv6(address) ? 6 : 4)

function httpSamples({ response, hops, tls }: HttpEvidence, us: PhasesUs): ProbeSample[] {
  const duration = 'probe_http_duration_seconds'
  return [
    ...ipProtocol(hops.at(-1)?.remoteAddress ?? null),
    phase(duration, 'resolve', us.dns),
    phase(duration, 'connect', us.connect),
    phase(duration, 'tls', us.tls),
    phase(duration, 'processing', us.send, us.firstByte),
    phase(duration, 'transfer', us.download),
    { name: 'probe_http_status_code', value: response?.status ?? 0 },
    { name: 'probe_http_content_length', value: contentLength(response) },
    { name: 'probe_http_uncompressed_body_length', value: response?.bodyBytes ?? 0 },
    { name: 'probe_http_redirects', value: Math.max(0, hops.length - 1) },
    { name: 'probe_http_ssl', value: tls ? 1 : 0 },
    { name: 'probe_http_version', value: Number(response?.httpVersion) || 0 },
    ...(tls ? tlsSamples(tls) : []),
  ]
}

function contentLength(response: HttpEvidence['response']): number {
  if (!response) return 0
  const text = Object.entries(response.headers).find(([name]) => name.toLowerCase() === 'content-length')?.[1]
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : -1
}

function tlsSamples({ protocol, firstExpiryAt = null }: TlsFacts): ProbeSample[] {
  const expiry = firstExpiryAt === null ? null : Math.floor(firstExpiryAt / 1000)
  const version = protocol.replace(/^TLSv1$/, 'TLSv1.0').replace('TLSv', 'TLS ')
  return [
    ...known('probe_ssl_earliest_cert_expiry', expiry),
    { name: 'probe_tls_version_info', label: version, value: 1 },
  ]
}

function dnsSamples(evidence: DnsEvidence | DnsObservation, us: PhasesUs): ProbeSample[] {
  const duration = 'probe_dns_duration_seconds'
  const response = 'response' in evidence ? evidence.response : null
  const server = response?.server.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') ?? null
  return [
    ...ipProtocol(server),
    phase(duration, 'resolve', us.dns),
    phase(duration, 'connect', us.connect),
    phase(duration, 'request', us.send, us.firstByte, us.download),
    { name: 'probe_dns_query_succeeded', value: response ? 1 : 0 },
    ...known('probe_dns_answer_rrs', response ? response.json.Answer.length : null),
  ]
}

function icmpSamples({ resolvedIp, latency, pingResults }: IcmpEvidence, us: PhasesUs): ProbeSample[] {
  const duration = 'probe_icmp_duration_seconds'
  const hopLimit = pingResults.findLast(({ success }) => success)?.ttl ?? null
  return [
    ...ipProtocol(resolvedIp),
    phase(duration, 'resolve', us.dns),
    phase(duration, 'setup', us.connect),
    phase(duration, 'rtt', latency === null ? null : latency.avg * 1000),
    ...known('probe_icmp_reply_hop_limit', hopLimit),
  ]
}
