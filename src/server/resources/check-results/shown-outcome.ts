import type { AssertionResult } from '../../../contract/assertion.ts'
import type { CheckType } from '../../../contract/check-types.ts'
import type { HttpCheckType } from '../../../contract/checks/http-types.ts'
import { evidenceOf, type OutcomeOf } from '../../../contract/outcome.ts'
import type { ApiCheckResult, Diagnosis } from '../../../contract/resources/check-result.ts'
import { apiCheckResult } from './api-check-result.ts'

/** What was seen, in the words of its type. */
interface ShownOutcome {
  /** Null for a type that makes no HTTP request. */
  readonly apiCheckResult: ApiCheckResult | null
  readonly details: Pick<Diagnosis, 'hops' | 'tls' | 'tcp' | 'dns' | 'icmp'>
}

type Show<T extends CheckType> = (
  outcome: OutcomeOf<T>,
  assertions: readonly AssertionResult[],
  queueUs: number,
) => ShownOutcome

export const nothingSeen = { hops: [], tls: null, tcp: null, dns: null, icmp: null }

const http: Show<HttpCheckType> = (outcome, assertions, queueUs) => {
  const { hops, tls } = evidenceOf(outcome)
  return {
    apiCheckResult: apiCheckResult(outcome, assertions, queueUs),
    details: { ...nothingSeen, hops, tls },
  }
}

const showings: { readonly [T in CheckType]: Show<T> } = {
  API: http,
  DNS: (outcome) => ({ apiCheckResult: null, details: { ...nothingSeen, dns: dnsOf(outcome) } }),
  HEARTBEAT: http,
  ICMP: (outcome) => ({ apiCheckResult: null, details: { ...nothingSeen, icmp: evidenceOf(outcome) } }),
  TCP: (outcome) => ({ apiCheckResult: null, details: { ...nothingSeen, tcp: tcpOf(outcome) } }),
  URL: http,
}

export function shownOutcome<T extends CheckType>(
  outcome: OutcomeOf<T>,
  assertions: readonly AssertionResult[],
  queueUs: number,
): ShownOutcome {
  return showings[outcome.type](outcome, assertions, queueUs)
}

function dnsOf(outcome: OutcomeOf<'DNS'>): Diagnosis['dns'] {
  return outcome.kind === 'observed' ? outcome.observation : { ...outcome.evidence, response: null }
}

const ms = (us: number) => us / 1000

/** semantics §3: TCP phases. */
function tcpOf(outcome: OutcomeOf<'TCP'>): Diagnosis['tcp'] {
  const { phasesUs, totalUs } = outcome.timings
  const { dns, connect, send, firstByte, download } = phasesUs
  const data = [send, firstByte, download].filter((us) => us !== null)
  return {
    ...evidenceOf(outcome),
    timingPhases: {
      dns: dns === null ? null : ms(dns),
      connection: connect === null ? null : ms(connect),
      data: data.length === 0 ? null : ms(data.reduce((sum, us) => sum + us, 0)),
      total: ms(totalUs),
    },
  }
}
