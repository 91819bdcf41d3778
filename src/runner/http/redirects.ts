import { isSensitiveHeader } from '../../rules/sensitive-headers.ts'
import type { HttpRequest } from './http-request.ts'
import { isRequestable } from './requestable-url.ts'

export interface RedirectingResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

export type Redirect =
  | { readonly kind: 'none' }
  | { readonly kind: 'to'; readonly request: HttpRequest }
  | { readonly kind: 'invalid' }

export const maxRedirects = 10

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const bodyHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-encoding',
  'content-language',
  'content-location',
])

/** Where a response sends the request on to, by the rules of the Fetch standard; `invalid` is no address to request. */
export function redirect(
  request: HttpRequest,
  response: RedirectingResponse,
  secrets: readonly string[] = [],
): Redirect {
  const { location } = response.headers
  if (!redirectStatuses.has(response.status) || location === undefined || location === '') {
    return { kind: 'none' }
  }
  const url = typeof location === 'string' ? URL.parse(fromWire(location), request.url) : null
  if (!url || !isRequestable(url)) return { kind: 'invalid' }
  url.username = ''
  url.password = ''
  url.hash = ''
  const asGet = becomesGet(response.status, request.method)
  const elsewhere = url.origin !== request.url.origin
  const headers = request.headers.filter(
    ([name, value]) =>
      !(asGet && bodyHeaders.has(name.toLowerCase())) && !(elsewhere && isForOrigin(name, value, secrets)),
  )
  const method = asGet ? 'GET' : request.method
  return { kind: 'to', request: { method, url, headers, body: asGet ? null : request.body } }
}

/**
 * The requests of a journey, by which one that would go round for ever is known. Nothing that a target sends changes
 * the next request but its address, so that the same request again finds the same target; only one that sets a cookie
 * may have remembered us by other means.
 */
export class Trail {
  #requests: HttpRequest[] = []

  add(request: HttpRequest, { headers }: RedirectingResponse): void {
    if ('set-cookie' in headers) this.#requests = []
    else this.#requests.push(request)
  }

  has(request: HttpRequest): boolean {
    return this.#requests.some((earlier) => isSame(earlier, request))
  }
}

function isSame(one: HttpRequest, other: HttpRequest): boolean {
  return (
    one.method === other.method &&
    one.url.href === other.url.href &&
    one.body === other.body &&
    one.headers.length === other.headers.length &&
    one.headers.every(([name, value], index) => {
      const [otherName, otherValue] = other.headers[index] ?? []
      return name === otherName && value === otherValue
    })
  )
}

/** What is meant for one origin is not told to another (RFC 9110 §15.4). */
function isForOrigin(name: string, value: string, secrets: readonly string[]): boolean {
  return (
    name.toLowerCase() === 'host' ||
    isSensitiveHeader(name) ||
    secrets.some((secret) => value.includes(secret.trim()))
  )
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return (status === 301 || status === 302) && method === 'POST'
}

/** Header values come as Latin-1; servers write UTF-8. */
function fromWire(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8')
}
