import type {
  HttpEvidence,
  HttpObservation,
  ReceivedResponse,
} from '../../contract/checks/http-observation.ts'
import type { NetworkFailure } from '../../contract/failure.ts'
import type { Seen } from '../../contract/outcome.ts'
import type { Timings } from '../../contract/timings.ts'
import { AppError } from '../../lib/app-error.ts'
import { failure, isTimeout } from '../failures.ts'
import { type DecodedBody, type DecodeOptions, decodeBody } from './decode-body.ts'
import type { RawResponse } from './exchange.ts'
import { sentRequest } from './http-request.ts'
import type { Journey } from './journey.ts'

/** What a request saw. */
export type HttpSeen = Seen<HttpObservation, HttpEvidence>

const noBody: DecodedBody = { text: null, bytes: 0, truncated: true }

/** What a journey says of its target; at once where its last body is small. @throws AppError */
export function conclude(
  journey: Journey,
  timings: Timings,
  decoding: Omit<DecodeOptions, 'partial'>,
): HttpSeen | Promise<HttpSeen> {
  const { response, error } = journey.last
  if (!response) return outcomeOf(journey, timings, null, journey.cause)
  const decoded = (body: DecodedBody) => outcomeOf(journey, timings, received(response, body), journey.cause)
  const undecodable = (fault: unknown) =>
    outcomeOf(journey, timings, received(response, noBody), journey.cause ?? decodingFailure(fault))
  try {
    const body = decodeBody(response, { ...decoding, partial: error !== null })
    return body instanceof Promise ? body.then(decoded, undecodable) : decoded(body)
  } catch (fault) {
    return undecodable(fault)
  }
}

function outcomeOf(
  { request, hops, last }: Journey,
  timings: Timings,
  response: ReceivedResponse | null,
  cause: NetworkFailure | null,
): HttpSeen {
  const evidence: HttpEvidence = { request: sentRequest(request), response, hops: [...hops], tls: last.tls }
  if (cause) return unsuccessful(cause, timings, evidence)
  if (!response) throw new AppError('RUNNER_FAULT', 'An exchange ended with neither an answer nor an error')
  return { kind: 'observed', timings, observation: { ...evidence, response } }
}

/** Of an attempt without what it was made for. */
export function unsuccessful(cause: NetworkFailure, timings: Timings, evidence: HttpEvidence): HttpSeen {
  return isTimeout(cause) && cause.phase !== null
    ? { kind: 'timed-out', timings, during: cause.phase, cause, evidence }
    : { kind: 'unreachable', timings, cause, evidence }
}

function received({ chunks, capped, ...head }: RawResponse, body: DecodedBody): ReceivedResponse {
  return { ...head, body: body.text, bodyBytes: body.bytes, truncated: body.truncated }
}

/** @throws AppError when the fault is our own. */
function decodingFailure(fault: unknown): NetworkFailure {
  if (fault instanceof AppError) throw fault
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : null
  return failure('decompression', 'download', code)
}
