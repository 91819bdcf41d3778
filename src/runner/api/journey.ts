import type { Hop } from '../../contract/checks/api/observation.ts'
import type { ApiRequest } from '../../contract/checks/api/request.ts'
import type { NetworkFailure } from '../../contract/failure.ts'
import type { Cutoff } from '../cutoff.ts'
import type { Dial } from '../dial/dial.ts'
import { failure, failureOf, timeoutIn } from '../failures.ts'
import type { PhaseTimer } from '../phase-timer.ts'
import { type Exchange, exchange } from './exchange.ts'
import type { HttpRequest } from './http-request.ts'
import { maxRedirects, redirect } from './redirects.ts'

export interface JourneyOptions {
  readonly check: ApiRequest
  readonly dial: Dial
  readonly timer: PhaseTimer
  readonly cutoff: Cutoff
  readonly maxBodyBytes: number
}

/** The way through all redirects, and how the exchange with the last hop ended. */
export interface Journey {
  /** As the last hop got it. */
  readonly request: HttpRequest
  readonly hops: readonly Hop[]
  readonly last: Exchange
  /** Null when the last hop answered and asked for nothing further. */
  readonly cause: NetworkFailure | null
}

/** Goes from hop to hop until one is the last. @throws AppError RUNNER_FAULT */
export async function travel(first: HttpRequest, options: JourneyOptions): Promise<Journey> {
  const { ipFamily, skipSSL } = options.check
  const hops: Hop[] = []
  let request = first
  for (;;) {
    const last = await exchange({ ...options, request, ipFamily, skipVerification: skipSSL })
    const status = last.response?.status ?? null
    hops.push({ url: request.url.href, status, remoteAddress: last.remoteAddress })
    const next = onward(request, last, hops.length, options)
    if (next.kind === 'end') return { request, hops, last, cause: next.cause }
    request = next.request
  }
}

type Onward =
  | { readonly kind: 'end'; readonly cause: NetworkFailure | null }
  | { readonly kind: 'on'; readonly request: HttpRequest }

function onward(request: HttpRequest, last: Exchange, hops: number, options: JourneyOptions): Onward {
  const { check, timer, cutoff } = options
  if (last.error) {
    const timedOut = cutoff.cause && timer.phase
    return { kind: 'end', cause: timedOut ? timeoutIn(timedOut) : failureOf(last.error, timer.phase) }
  }
  const next = check.followRedirects && last.response ? redirect(request, last.response) : null
  if (next === null || next.kind === 'none') return { kind: 'end', cause: null }
  if (next.kind === 'invalid') return { kind: 'end', cause: failure('redirect-invalid', null) }
  if (hops > maxRedirects) return { kind: 'end', cause: failure('too-many-redirects', null) }
  return { kind: 'on', request: next.request }
}
