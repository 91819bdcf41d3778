import type { HttpObservation } from '../../src/contract/checks/http-observation.ts'
import type { NetworkFailure } from '../../src/contract/failure.ts'
import type { OutcomeOf } from '../../src/contract/outcome.ts'
import type { Timings } from '../../src/contract/timings.ts'

type Response = HttpObservation['response']

const request = { method: 'GET', url: 'http://target.test/', headers: {}, body: '' }

const ok: Response = {
  status: 200,
  statusText: 'OK',
  httpVersion: '1.1',
  headers: {},
  body: '',
  bodyBytes: 0,
  truncated: false,
}

/** What a runner saw of a response like this; 200 without a body unless said otherwise. */
export function apiObservation(response: Partial<Response> = {}): HttpObservation {
  return { request, response: { ...ok, ...response }, hops: [], tls: null }
}

export function observed(response: Partial<Response>, tookMs = 10) {
  const observation = apiObservation(response)
  return {
    type: 'API',
    kind: 'observed',
    timings: timings(tookMs),
    observation,
  } as const satisfies OutcomeOf<'API'>
}

/** `status`: of a response that began and was not completed. */
export function unreachable(failure: NetworkFailure['class'] = 'refused', status: number | null = null) {
  return {
    type: 'API',
    kind: 'unreachable',
    timings: timings(1),
    cause: { class: failure, code: null, message: `it failed: ${failure}`, phase: 'connect' },
    evidence: { request, response: status === null ? null : { ...ok, status }, hops: [], tls: null },
  } as const satisfies OutcomeOf<'API'>
}

export function timedOut(status: number | null = null, tookMs = 30_000) {
  return {
    type: 'API',
    kind: 'timed-out',
    timings: timings(tookMs),
    during: 'firstByte',
    cause: { class: 'first-byte-timeout', code: null, message: 'it took too long', phase: 'firstByte' },
    evidence: { request, response: status === null ? null : { ...ok, status }, hops: [], tls: null },
  } as const satisfies OutcomeOf<'API'>
}

function timings(totalMs: number): Timings {
  const phasesUs = { dns: null, connect: null, tls: null, send: null, firstByte: null, download: null }
  return { startedAt: 0, totalUs: totalMs * 1000, phasesUs }
}
