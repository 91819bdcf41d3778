import { describe, expect, test, vi } from 'vitest'
import { probeReading } from '../../src/agent/probe-reading.ts'
import type { Outcome } from '../../src/contract/outcome.ts'
import type { Verdict } from '../../src/contract/verdict.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { observed, unreachable } from '../support/api-outcomes.ts'
import { dnsObservation } from '../support/dns-outcomes.ts'
import { dueRun } from '../support/due-run.ts'
import { finishedResult } from '../support/finished-result.ts'
import { icmpOutcome } from '../support/icmp-outcome.ts'
import { startFakeService, startTestAgent } from '../support/test-agent.ts'

const definition = apiDefinition('http://target.test/')
const phasesUs = { dns: 1000, connect: 2000, tls: 3000, send: 400, firstByte: 5000, download: 600 }
const timings = { startedAt: 0, totalUs: 12_000, phasesUs }

function judged(outcome: Outcome, state: Verdict['state'] = 'passing') {
  const verdict = { state, overMaxResponseTime: false, overDegradedResponseTime: false, reasons: [] }
  return finishedResult({ conclusion: { kind: 'judged', outcome, assertions: [], verdict } })
}

/** `name` or `name{label}` to the value. */
function samplesOf(outcome: Outcome, state: Verdict['state'] = 'passing'): Record<string, number> {
  const reading = probeReading(judged(outcome, state), definition, dueRun())
  return Object.fromEntries(
    (reading?.samples ?? []).map(({ name, label, value }) => [label ? `${name}{${label}}` : name, value]),
  )
}

const hop = {
  method: 'GET',
  url: 'https://target.test/',
  status: 200,
  remoteAddress: '2001:db8::1',
  addresses: [],
  tls: null,
  timings: { startedUs: 0, totalUs: 12_000, phasesUs },
}

describe('a reading of a result', () => {
  test('tells of an HTTP response what the blackbox exporter tells of it', () => {
    const seen = observed({ headers: { 'content-length': '42' }, bodyBytes: 100, httpVersion: '1.1' })
    const tls = {
      protocol: 'TLSv1.3',
      cipher: 'x',
      alpn: null,
      daysRemaining: 3,
      firstExpiryAt: 1_800_000_000_999,
    }
    const observation = { ...seen.observation, hops: [hop, hop, hop], tls }
    expect(samplesOf({ ...seen, timings, observation }, 'degraded')).toEqual({
      probe_success: 1,
      probe_duration_seconds: 0.012,
      probe_dns_lookup_time_seconds: 0.001,
      probe_ip_protocol: 6,
      'probe_http_duration_seconds{resolve}': 0.001,
      'probe_http_duration_seconds{connect}': 0.002,
      'probe_http_duration_seconds{tls}': 0.003,
      'probe_http_duration_seconds{processing}': 0.0054,
      'probe_http_duration_seconds{transfer}': 0.0006,
      probe_http_status_code: 200,
      probe_http_content_length: 42,
      probe_http_uncompressed_body_length: 100,
      probe_http_redirects: 2,
      probe_http_ssl: 1,
      probe_http_version: 1.1,
      probe_ssl_earliest_cert_expiry: 1_800_000_000,
      'probe_tls_version_info{TLS 1.3}': 1,
    })
  })

  test('of a target that was not reached has a status of 0, no address and no version of TLS', () => {
    const samples = samplesOf(unreachable(), 'failing')
    expect(samples).toMatchObject({ probe_success: 0, probe_http_status_code: 0, probe_http_ssl: 0 })
    expect(Object.keys(samples).filter((name) => /ip_protocol|tls_version|ssl_earliest/.test(name))).toEqual(
      [],
    )
  })

  test('counts what a DNS server answered', () => {
    const record = { name: 'a.test.', type: 'A', TTL: 60, data: '192.0.2.1' }
    const observation = dnsObservation({ Answer: [record, record] })
    expect(samplesOf({ type: 'DNS', kind: 'observed', timings, observation })).toMatchObject({
      probe_ip_protocol: 4,
      'probe_dns_duration_seconds{resolve}': 0.001,
      'probe_dns_duration_seconds{connect}': 0.002,
      'probe_dns_duration_seconds{request}': 0.006,
      probe_dns_answer_rrs: 2,
      probe_dns_query_succeeded: 1,
    })
  })

  test('has the round trip of a ping and the hop limit of its last reply', () => {
    expect(samplesOf(icmpOutcome({}))).toMatchObject({
      probe_ip_protocol: 4,
      'probe_icmp_duration_seconds{rtt}': 0.0025,
      probe_icmp_reply_hop_limit: 57,
    })
  })

  test('is good for three intervals and five minutes', () => {
    const run = dueRun({ intervalMs: 60_000 })
    expect(probeReading(judged(observed({})), definition, run)).toMatchObject({
      checkId: run.checkId,
      checkName: definition.name,
      checkType: 'API',
      location: run.location,
      keepMs: 480_000,
    })
  })

  test('is not made where a retry follows, and not where nothing was judged', () => {
    const retried = { ...judged(observed({})), resultType: 'ATTEMPT' as const }
    expect(probeReading(retried, definition, dueRun())).toBeNull()
    const missed = finishedResult({ conclusion: { kind: 'missed', reason: 'late' } })
    expect(probeReading(missed, definition, dueRun())).toBeNull()
  })
})

describe('an agent', () => {
  async function metricsOf(setting: string) {
    const service = await startFakeService()
    const started = await startTestAgent({ service, env: { AGENT_PROBE_METRICS: setting } })
    service.enqueue(dueRun())
    await vi.waitFor(async () =>
      expect((await started.health('/metrics')).text).toContain('verdict="passing"} 1'),
    )
    return (await started.health('/metrics')).text
  }

  test('shows what its checks saw on /metrics when it is told to', async () => {
    expect(await metricsOf('on')).toMatch(
      /^probe_success\{check_id="[^"]+",check_name="[^"]+",check_type="API",location="eu-west-1"\} 1$/m,
    )
  })

  test('shows nothing of single checks unless it is told to', async () => {
    expect(await metricsOf('off')).not.toContain('probe_')
  })
})
