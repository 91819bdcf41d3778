import type { ApiEvidence, ReceivedResponse } from '../../contract/checks/api/observation.ts'
import type { ApiRequest } from '../../contract/checks/api/request.ts'
import type { NetworkFailure } from '../../contract/failure.ts'
import type { Outcome } from '../../contract/outcome.ts'
import type { CheckDefinition } from '../../contract/run.ts'
import type { Timings } from '../../contract/timings.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { Cutoff } from '../cutoff.ts'
import type { Dial } from '../dial/dial.ts'
import { failure, isTimeout } from '../failures.ts'
import { PhaseTimer } from '../phase-timer.ts'
import { buildRequest } from './build-request.ts'
import { type DecodedBody, type DecodeOptions, decodeBody } from './decode-body.ts'
import type { RawResponse } from './exchange.ts'
import { sentRequest } from './http-request.ts'
import { type Journey, travel } from './journey.ts'

export interface ApiCheckOptions {
  readonly clock: Clock
  readonly dial: Dial
  readonly userAgent: string
  /** For all hops of one attempt together. */
  readonly attemptMs: number
  readonly maxBodyBytes: number
}

/**
 * One attempt at one API check. Rejects with the signal's reason when the signal ends it, and with AppError
 * RUNNER_FAULT when the fault is our own.
 */
export function createApiCheck(
  options: ApiCheckOptions,
): (definition: CheckDefinition, signal: AbortSignal) => Promise<Outcome> {
  const { clock, dial, userAgent, attemptMs, maxBodyBytes } = options
  return async ({ request: check }, signal) => {
    signal.throwIfAborted()
    const timer = new PhaseTimer(clock)
    const first = buildRequest(check, userAgent)
    if (!first) return unwritten(check, timer.timings())
    const cutoff = new Cutoff(attemptMs, signal)
    try {
      const journey = await travel(first, { check, dial, timer, cutoff, maxBodyBytes })
      if (cutoff.cause === 'stopped') signal.throwIfAborted()
      const binaryAsText = check.assertions.some(({ source }) => source === 'TEXT_BODY')
      return await conclude(journey, timer.timings(), { maxBodyBytes, binaryAsText })
    } finally {
      cutoff.clear()
    }
  }
}

/** The definition has no URL that could be requested. */
function unwritten({ method, url, body }: ApiRequest, timings: Timings): Outcome {
  const request = { method, url, headers: {}, body }
  return fail(failure('invalid-request', null), timings, { request, response: null, hops: [], tls: null })
}

async function conclude(
  { request, hops, last, cause }: Journey,
  timings: Timings,
  decoding: Omit<DecodeOptions, 'partial'>,
): Promise<Outcome> {
  const { response, undecodable } = last.response
    ? await receive(last.response, { ...decoding, partial: last.error !== null })
    : { response: null, undecodable: null }
  const evidence: ApiEvidence = { request: sentRequest(request), response, hops: [...hops], tls: last.tls }
  const failed = cause ?? undecodable
  if (failed) return fail(failed, timings, evidence)
  if (!response) throw new AppError('RUNNER_FAULT', 'An exchange ended with neither an answer nor an error')
  return { kind: 'observed', timings, observation: { ...evidence, response } }
}

interface Received {
  readonly response: ReceivedResponse
  readonly undecodable: NetworkFailure | null
}

const noBody: DecodedBody = { text: null, bytes: 0, truncated: true }

async function receive(raw: RawResponse, options: DecodeOptions): Promise<Received> {
  try {
    return { response: received(raw, await decodeBody(raw, options)), undecodable: null }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    return { response: received(raw, noBody), undecodable: failure('decompression', 'download', code) }
  }
}

function received({ status, statusText, headers }: RawResponse, body: DecodedBody): ReceivedResponse {
  return {
    status,
    statusText,
    httpVersion: '1.1',
    headers: { ...headers },
    body: body.text,
    bodyBytes: body.bytes,
    truncated: body.truncated,
  }
}

function fail(cause: NetworkFailure, timings: Timings, evidence: ApiEvidence): Outcome {
  return isTimeout(cause) && cause.phase !== null
    ? { kind: 'timed-out', timings, during: cause.phase, cause, evidence }
    : { kind: 'unreachable', timings, cause, evidence }
}
