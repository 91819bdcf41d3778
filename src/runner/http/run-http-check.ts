import type { ApiRequest } from '../../contract/checks/api/request.ts'
import type { HttpCheckType } from '../../contract/checks/http-types.ts'
import type { NetworkFailure } from '../../contract/failure.ts'
import type { DefinitionOf } from '../../contract/run.ts'
import type { Clock } from '../../lib/clock.ts'
import { httpRequestOf } from '../../rules/http-request.ts'
import { fillRequest } from '../../rules/template/fill-request.ts'
import type { TemplateSources } from '../../rules/template/helpers.ts'
import { BodyAllowance } from '../body-allowance.ts'
import { type BodyMemory, unboundedMemory } from '../body-memory.ts'
import type { Circumstances } from '../circumstances.ts'
import { Cutoff } from '../cutoff.ts'
import type { Dial } from '../dial/dial.ts'
import { failure, unfilled } from '../failures.ts'
import { PhaseTimer } from '../phase-timer.ts'
import { conclude, type HttpSeen, unsuccessful } from './conclude.ts'
import type { HttpRequest } from './http-request.ts'
import { type Journey, type JourneyOptions, type Traveller, travel } from './journey.ts'
import { createPreparer } from './prepare.ts'

export interface HttpCheckOptions {
  readonly clock: Clock
  readonly dial: Dial
  readonly userAgent: string
  /** What templates get anew for each attempt. */
  readonly templates: TemplateSources
  /** For all hops of one attempt together. */
  readonly attemptMs: number
  readonly maxBodyBytes: number
}

type HttpDefinition = DefinitionOf<HttpCheckType>

type RunHttpCheck = (
  definition: HttpDefinition,
  signal: AbortSignal,
  circumstances?: Circumstances,
) => Promise<HttpSeen>

/**
 * One attempt at one check that is an HTTP request. Rejects with the signal's reason when the signal ends it, and
 * with AppError when the fault is our own.
 */
export function createHttpCheck(options: HttpCheckOptions): RunHttpCheck {
  const prepare = createPreparer(options.userAgent)
  return (definition, signal, { memory = unboundedMemory, freshDns = false } = {}) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const request = httpRequestOf(definition.request)
      const filled = fillRequest(request, definition.variables, options.templates)
      if (filled.kind !== 'filled') {
        resolve(unwritten(request, unfilled(filled), options.clock))
        return
      }
      const { first, binaryAsText } = prepare(filled.request)
      const attempt = { ...options, definition, binaryAsText, signal, memory, freshDns, resolve, reject }
      if (first) new Attempt(attempt).start(first)
      else resolve(unwritten(filled.request, failure('invalid-request', null), options.clock))
    })
}

/** There is no request that could be sent. */
function unwritten({ method, url, body }: ApiRequest, cause: NetworkFailure, clock: Clock): HttpSeen {
  const request = { method, url, headers: {}, body }
  const evidence = { request, response: null, hops: [], tls: null }
  return unsuccessful(cause, new PhaseTimer(clock).timings(), evidence)
}

interface AttemptOptions extends HttpCheckOptions {
  readonly definition: HttpDefinition
  readonly binaryAsText: boolean
  readonly signal: AbortSignal
  readonly memory: BodyMemory
  readonly freshDns: boolean
  readonly resolve: (outcome: HttpSeen | Promise<HttpSeen>) => void
  readonly reject: (error: unknown) => void
}

function secretsOf({ variables }: HttpDefinition): string[] {
  return variables.filter(({ secret, value }) => secret && value.trim() !== '').map(({ value }) => value)
}

class Attempt implements Traveller {
  readonly #options: AttemptOptions
  readonly #timer: PhaseTimer
  readonly #cutoff: Cutoff
  readonly #allowance: BodyAllowance

  constructor(options: AttemptOptions) {
    this.#options = options
    this.#timer = new PhaseTimer(options.clock)
    this.#cutoff = new Cutoff(options.attemptMs, options.signal)
    this.#allowance = new BodyAllowance(options.memory)
  }

  start(first: HttpRequest): void {
    const { definition, dial, maxBodyBytes, freshDns } = this.#options
    const { followRedirects, skipSSL, ipFamily } = definition.request
    const journey: JourneyOptions = {
      followRedirects,
      secrets: secretsOf(definition),
      skipSSL,
      ipFamily,
      freshDns,
      clientCertificates: definition.clientCertificates,
      dial,
      maxBodyBytes,
      timer: this.#timer,
      cutoff: this.#cutoff,
      allowance: this.#allowance,
    }
    travel(first, journey, this)
  }

  onArrival(journey: Journey): void {
    const { binaryAsText, maxBodyBytes, signal, resolve, reject } = this.#options
    this.#cutoff.clear()
    if (this.#cutoff.cause === 'stopped') {
      reject(signal.reason)
      return
    }
    const decoding = { maxBodyBytes, binaryAsText, allowance: this.#allowance }
    resolve(conclude(journey, this.#timer.timings(), decoding))
  }

  onFault(error: unknown): void {
    const { signal, reject } = this.#options
    this.#cutoff.clear()
    reject(this.#cutoff.cause === 'stopped' ? signal.reason : error)
  }
}
