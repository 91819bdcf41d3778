import type { Hop } from '../../contract/checks/http-observation.ts'
import type { NetworkFailure } from '../../contract/failure.ts'
import { failure, failureOf, timeoutIn } from '../failures.ts'
import { type Exchange, type ExchangeOptions, exchange } from './exchange.ts'
import type { HttpRequest } from './http-request.ts'
import { maxRedirects, type RedirectingResponse, redirect, Trail } from './redirects.ts'

export interface JourneyOptions extends ExchangeOptions {
  readonly followRedirects: boolean
  /** Headers that hold one are for the first origin only. None is empty. */
  readonly secrets: readonly string[]
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

export interface Traveller {
  onArrival(journey: Journey): void
  /** A fault of our own, or the caller's wish to stop: there is nothing to tell of the target. */
  onFault(error: unknown): void
}

/** Goes from hop to hop until one is the last, and tells the traveller once. */
export function travel(first: HttpRequest, options: JourneyOptions, traveller: Traveller): void {
  new Travelling(options, traveller).go(first)
}

/** Of one hop. */
const maxAddresses = 100

type Onward =
  | { readonly kind: 'end'; readonly cause: NetworkFailure | null }
  | { readonly kind: 'on'; readonly request: HttpRequest }

const arrived: Onward = { kind: 'end', cause: null }
const end = (cause: NetworkFailure): Onward => ({ kind: 'end', cause })

class Travelling {
  readonly #options: JourneyOptions
  readonly #traveller: Traveller
  readonly #hops: Hop[] = []
  readonly #trail = new Trail()

  constructor(options: JourneyOptions, traveller: Traveller) {
    this.#options = options
    this.#traveller = traveller
  }

  go(request: HttpRequest): void {
    this.#guard(() =>
      exchange(request, this.#options, (last) => this.#guard(() => this.#arrive(request, last))),
    )
  }

  /** Nobody is there to catch what is thrown in a callback. */
  #guard(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.#traveller.onFault(error)
    }
  }

  #arrive(request: HttpRequest, last: Exchange): void {
    this.#hops.push(hopOf(request, last, this.#options))
    const next = this.#onward(request, last)
    if (next.kind === 'on') this.go(next.request)
    else this.#traveller.onArrival({ request, hops: this.#hops, last, cause: next.cause })
  }

  #onward(request: HttpRequest, { error, phase, response }: Exchange): Onward {
    const { cutoff, followRedirects } = this.#options
    if (error) return end(cutoff.cause && phase ? timeoutIn(phase) : failureOf(error, phase))
    return followRedirects && response ? this.#follow(request, response) : arrived
  }

  #follow(request: HttpRequest, response: RedirectingResponse): Onward {
    const next = redirect(request, response, this.#options.secrets)
    if (next.kind === 'none') return arrived
    if (next.kind === 'invalid') return end(failure('redirect-invalid', null))
    this.#trail.add(request, response)
    if (!this.#options.skipSSL && isDowngrade(request.url, next.request.url)) {
      return end(failure('redirect-downgrade', null))
    }
    if (this.#trail.has(next.request)) return end(failure('redirect-loop', null))
    if (this.#hops.length > maxRedirects) return end(failure('too-many-redirects', null))
    return { kind: 'on', request: next.request }
  }
}

function hopOf({ method, url }: HttpRequest, last: Exchange, { timer }: JourneyOptions): Hop {
  const { tried, proxied, tls, response } = last
  return {
    method,
    url: url.href,
    status: response?.status ?? null,
    remoteAddress: proxied ? null : remoteAddress(last),
    addresses: tried.slice(0, maxAddresses),
    tls,
    timings: timer.endHop(),
  }
}

/** The address that the hop went to; null where there was no connection. */
function remoteAddress({ tried }: Exchange): string | null {
  return tried.find(({ fate }) => fate === 'connected')?.address ?? null
}

function isDowngrade(from: URL, to: URL): boolean {
  return from.protocol === 'https:' && to.protocol === 'http:'
}
