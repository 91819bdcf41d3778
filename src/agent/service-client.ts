import { type Dispatcher, request } from 'undici'
import { PingsResponse } from '../contract/agent-pings.ts'
import {
  type ClaimRequest,
  ClaimResponse,
  type DefinitionsRequest,
  DefinitionsResponse,
  type ErrorReport,
  type ReleaseRequest,
  ReleaseResponse,
  type RenewRequest,
  RenewResponse,
  ResultsResponse,
} from '../contract/agent-protocol.ts'
import { type SchedulesRequest, SchedulesResponse } from '../contract/agent-schedules.ts'
import { AppError } from '../lib/app-error.ts'
import type { Secret } from '../lib/secret.ts'
import { type Validated, validator } from '../lib/validate.ts'

/** The service understood and said no (a 4xx). */
export class ServiceRefused extends AppError {
  readonly statusCode: number

  constructor(statusCode: number) {
    super('SERVICE_REFUSED', `The service refused a request of the agent with status ${statusCode}`)
    this.statusCode = statusCode
  }
}

/**
 * The service as the agent sees it. Every call has a deadline. All throw AppError: API_KEY_REJECTED, SERVICE_REFUSED,
 * SERVICE_UNAVAILABLE or SERVICE_ANSWER_INVALID.
 */
export interface ServiceClient {
  /** @param deadlineMs for the answer, besides the time that the claim waits */
  claim(body: ClaimRequest, signal: AbortSignal, deadlineMs?: number): Promise<ClaimResponse>
  schedules(body: SchedulesRequest, signal: AbortSignal): Promise<SchedulesResponse>
  definitions(body: DefinitionsRequest, signal: AbortSignal): Promise<DefinitionsResponse>
  renew(body: RenewRequest, signal: AbortSignal): Promise<RenewResponse>
  release(body: ReleaseRequest): Promise<ReleaseResponse>
  /** `body` is a ResultsRequest as gzipped JSON. */
  sendResults(body: Uint8Array, signal: AbortSignal): Promise<ResultsResponse>
  /** `body` is a PingsRequest as gzipped JSON. */
  sendPings(body: Uint8Array, signal: AbortSignal): Promise<PingsResponse>
  reportError(body: ErrorReport): Promise<void>
}

export interface ServiceClientOptions {
  readonly serviceUrl: URL
  readonly apiKey: Secret
  readonly dispatcher: Dispatcher
  readonly version: string
  /** For a call and its answer, besides the time that a long poll asks for. */
  readonly deadlineMs?: number
}

interface Call {
  readonly path: string
  readonly body: string | Uint8Array
  readonly signal?: AbortSignal
  /** Instead of the one of all calls. */
  readonly deadlineMs?: number | undefined
  readonly extraMs?: number
}

const read = {
  claim: validator(ClaimResponse),
  schedules: validator(SchedulesResponse),
  definitions: validator(DefinitionsResponse),
  renew: validator(RenewResponse),
  release: validator(ReleaseResponse),
  results: validator(ResultsResponse),
  pings: validator(PingsResponse),
}

/** An upload is larger than any other call. */
const uploadExtraMs = 45_000

export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const ask = async <T>(validate: (input: unknown) => Validated<T>, call: Call): Promise<T> =>
    understand(validate, await send(options, call))
  const json = (body: unknown) => JSON.stringify(body)
  return {
    claim: (body, signal, deadlineMs) =>
      ask(read.claim, { path: 'claims', body: json(body), signal, deadlineMs, extraMs: body.waitMs }),
    schedules: (body, signal) => ask(read.schedules, { path: 'schedules', body: json(body), signal }),
    definitions: (body, signal) => ask(read.definitions, { path: 'definitions', body: json(body), signal }),
    renew: (body, signal) => ask(read.renew, { path: 'leases', body: json(body), signal }),
    release: (body) => ask(read.release, { path: 'releases', body: json(body) }),
    sendResults: (body, signal) =>
      ask(read.results, { path: 'results', body, signal, extraMs: uploadExtraMs }),
    sendPings: (body, signal) => ask(read.pings, { path: 'pings', body, signal, extraMs: uploadExtraMs }),
    reportError: async (body) => {
      await send(options, { path: 'error-reports', body: json(body) })
    },
  }
}

/** The text of a 2xx answer. */
async function send(options: ServiceClientOptions, call: Call): Promise<string> {
  const { serviceUrl, apiKey, dispatcher, version, deadlineMs = 15_000 } = options
  const deadline = AbortSignal.timeout((call.deadlineMs ?? deadlineMs) + (call.extraMs ?? 0))
  try {
    const { statusCode, body } = await request(endpoint(serviceUrl, call.path), {
      dispatcher,
      method: 'POST',
      body: call.body,
      headers: {
        authorization: `Bearer ${apiKey.reveal()}`,
        'content-type': 'application/json',
        'user-agent': `Picket-Agent/${version}`,
        ...(typeof call.body !== 'string' && { 'content-encoding': 'gzip' }),
      },
      signal: call.signal ? AbortSignal.any([call.signal, deadline]) : deadline,
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const text = await body.text()
    if (statusCode >= 200 && statusCode < 300) return text
    throw refusal(statusCode)
  } catch (cause) {
    if (cause instanceof AppError || call.signal?.aborted) throw cause
    throw new AppError('SERVICE_UNAVAILABLE', 'The service cannot be reached', { cause })
  }
}

/** The address may have a path of its own, below which the API stands. */
function endpoint(serviceUrl: URL, path: string): URL {
  const url = new URL(serviceUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/agent/v1/${path}`
  return url
}

function refusal(statusCode: number): AppError {
  if (statusCode === 401 || statusCode === 403) {
    return new AppError('API_KEY_REJECTED', 'The service did not accept API_KEY')
  }
  // 408 and 429 pass by themselves.
  const temporary = statusCode === 408 || statusCode === 429 || statusCode >= 500
  if (!temporary && statusCode >= 400) return new ServiceRefused(statusCode)
  return new AppError('SERVICE_UNAVAILABLE', `The service answered with status ${statusCode}`)
}

function understand<T>(validate: (input: unknown) => Validated<T>, text: string): T {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch (cause) {
    throw new AppError('SERVICE_ANSWER_INVALID', 'The service answered with something that is not JSON', {
      cause,
    })
  }
  const validated = validate(answer)
  if (validated.kind === 'valid') return validated.value
  throw new AppError('SERVICE_ANSWER_INVALID', 'The service answered with something unknown to this agent', {
    cause: new Error(validated.faults.map(({ path }) => path).join(', ')),
  })
}
