import type { AssertionResult } from '../../../contract/assertion.ts'
import type { Outcome } from '../../../contract/outcome.ts'
import type {
  ApiCheckResult,
  CheckResultResource,
  Diagnosis,
  TimingPhases,
} from '../../../contract/resources/check-result.ts'
import type { Conclusion, Result } from '../../../contract/result.ts'
import { type Phase, phases, type Timings } from '../../../contract/timings.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import type { Schema } from '../../../storage/schema.ts'
import { errorGroupOf } from '../../stored/error-group-of.ts'

const ms = (us: number | null): number | null => (us === null ? null : us / 1000)

function timingPhases(timings: Timings, queueUs: number): TimingPhases {
  const { dns, connect, tls, send, firstByte, download } = timings.phasesUs
  return {
    wait: ms(queueUs),
    dns: ms(dns),
    tcp: ms(connect),
    tls: ms(tls),
    send: ms(send),
    firstByte: ms(firstByte),
    download: ms(download),
    total: ms(timings.totalUs),
  }
}

const ends: Readonly<Record<Phase, string>> = {
  dns: 'lookup',
  connect: 'connect',
  tls: 'secureConnect',
  send: 'upload',
  firstByte: 'response',
  download: 'end',
}

/** When each phase ended, in epoch milliseconds; null for one that was not reached. */
function wireTimings(timings: Timings) {
  let at = timings.startedAt
  const ended = phases.map((phase) => {
    const us = timings.phasesUs[phase]
    at += (us ?? 0) / 1000
    return [ends[phase], us === null ? null : at]
  })
  const byName: Record<string, number | null> = Object.fromEntries(ended)
  return {
    start: timings.startedAt,
    lookup: byName['lookup'] ?? null,
    connect: byName['connect'] ?? null,
    secureConnect: byName['secureConnect'] ?? null,
    upload: byName['upload'] ?? null,
    response: byName['response'] ?? null,
    end: byName['end'] ?? null,
  }
}

function sentence(assertion: AssertionResult): string {
  const { source, property, comparison, target, holds, message, actual } = assertion
  const asked = [source, property, comparison, target].filter((part) => part !== '').join(' ')
  return holds
    ? `${asked}: holds${actual === null ? '' : `, was ${actual}`}`
    : `${asked}: ${message ?? 'does not hold'}`
}

function requestOf(outcome: Outcome): NonNullable<ApiCheckResult['request']> {
  const { request } = outcome.kind === 'observed' ? outcome.observation : outcome.evidence
  const parameters = new Map<string, string | string[]>()
  for (const [key, value] of URL.parse(request.url)?.searchParams ?? []) {
    const known = parameters.get(key)
    parameters.set(key, known === undefined ? value : [known, value].flat())
  }
  const params = Object.fromEntries(parameters)
  return { method: request.method, url: request.url, data: request.body, headers: request.headers, params }
}

function apiCheckResult(
  conclusion: Extract<Conclusion, { kind: 'judged' }>,
  queueUs: number,
): ApiCheckResult {
  const { outcome, assertions } = conclusion
  const response = outcome.kind === 'observed' ? outcome.observation.response : outcome.evidence.response
  return {
    assertions: assertions.map(sentence),
    request: requestOf(outcome),
    response: {
      ...(response && {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
        ...(response.body !== null && { body: response.body }),
      }),
      timings: wireTimings(outcome.timings),
      timingPhases: timingPhases(outcome.timings, queueUs),
    },
    requestError: outcome.kind === 'observed' ? null : outcome.cause.message,
    jobLog: null,
    jobAssets: null,
    pcapDataUrl: null,
  }
}

const nothingSeen = { verdict: null, cause: null, timings: null, assertions: [], hops: [], tls: null }

function diagnosis(conclusion: Conclusion, queueUs: number): Diagnosis {
  if (conclusion.kind !== 'judged') {
    const reason =
      conclusion.kind === 'errored' ? `${conclusion.reason}: ${conclusion.message}` : conclusion.reason
    return { ...nothingSeen, kind: conclusion.kind, reason, queueUs }
  }
  const { outcome, verdict, assertions } = conclusion
  const { hops, tls } = outcome.kind === 'observed' ? outcome.observation : outcome.evidence
  const cause = outcome.kind === 'observed' ? null : outcome.cause
  return {
    kind: outcome.kind,
    verdict,
    reason: null,
    cause,
    timings: outcome.timings,
    queueUs,
    assertions,
    hops,
    tls,
  }
}

/** The contract wants a number of what is a UUID to us: its first 48 bits, stable for a run. */
const runNumber = (runId: string) => Number.parseInt(runId.replaceAll('-', '').slice(0, 12), 16)

export function toResource(row: Schema['checkResults'], checkName: string): CheckResultResource {
  // Validated when it was taken in.
  const { conclusion, queueUs } = JSON.parse(row.details) as Result
  const group = row.resultType === 'FINAL' ? errorGroupOf(row.checkId, conclusion) : null
  return {
    id: row.id,
    name: checkName,
    checkId: row.checkId,
    hasFailures: row.hasFailures === 1,
    hasErrors: row.hasErrors === 1,
    isDegraded: row.isDegraded === 1,
    overMaxResponseTime: row.overMaxResponseTime === 1,
    runLocation: row.location,
    startedAt: dateTimeText(row.startedAt),
    stoppedAt: dateTimeText(row.stoppedAt),
    created_at: dateTimeText(row.createdAt),
    responseTime: row.responseTimeMs ?? 0,
    apiCheckResult: conclusion.kind === 'judged' ? apiCheckResult(conclusion, queueUs) : null,
    checkRunId: runNumber(row.runId),
    attempts: row.attempt,
    resultType: row.resultType,
    sequenceId: row.runId,
    errorGroupIds: group ? [group.id] : null,
    diagnosis: diagnosis(conclusion, queueUs),
  }
}
