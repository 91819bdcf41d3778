import type { AssertionResult } from '../../../contract/assertion.ts'
import type { HttpEvidence } from '../../../contract/checks/http-observation.ts'
import type { HttpCheckType } from '../../../contract/checks/http-types.ts'
import { evidenceOf, type OutcomeOf } from '../../../contract/outcome.ts'
import type { ApiCheckResult, TimingPhases } from '../../../contract/resources/check-result.ts'
import { type Phase, phases, type Timings } from '../../../contract/timings.ts'

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

function requestOf({ request }: HttpEvidence): NonNullable<ApiCheckResult['request']> {
  const parameters = new Map<string, string | string[]>()
  for (const [key, value] of URL.parse(request.url)?.searchParams ?? []) {
    const known = parameters.get(key)
    parameters.set(key, known === undefined ? value : [known, value].flat())
  }
  const params = Object.fromEntries(parameters)
  return { method: request.method, url: request.url, data: request.body, headers: request.headers, params }
}

/** As the contract shows an HTTP request and its response. */
export function apiCheckResult(
  outcome: OutcomeOf<HttpCheckType>,
  assertions: readonly AssertionResult[],
  queueUs: number,
): ApiCheckResult {
  const { timings } = outcome
  const known = evidenceOf(outcome)
  const { response } = known
  return {
    assertions: assertions.map(sentence),
    request: requestOf(known),
    response: {
      ...(response && {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
        ...(response.body !== null && { body: response.body }),
      }),
      timings: wireTimings(timings),
      timingPhases: timingPhases(timings, queueUs),
    },
    requestError: outcome.kind === 'observed' ? null : outcome.cause.message,
    jobLog: null,
    jobAssets: null,
    pcapDataUrl: null,
  }
}
