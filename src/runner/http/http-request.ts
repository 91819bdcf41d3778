import type { SentRequest } from '../../contract/checks/http-observation.ts'

/** One request as it goes on the wire, to one origin. */
export interface HttpRequest {
  readonly method: string
  /** Without user, password and fragment. */
  readonly url: URL
  readonly headers: readonly HttpHeader[]
  /** Null for none. */
  readonly body: string | null
}

export type HttpHeader = readonly [name: string, value: string]

/** Methods whose body has a meaning: that there is none is said (RFC 9110 §8.6). */
const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Whether a header, in whatever letters, is there. */
export function hasHeader(headers: readonly HttpHeader[], lowerCaseName: string): boolean {
  return headers.some(([name]) => name.toLowerCase() === lowerCaseName)
}

/** The Host header of the check's own; null where it has none, and the URL's host is sent. */
export function hostHeader({ headers }: HttpRequest): string | null {
  return headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? null
}

/** Whom the request is for: the Host header's name where it has one, as virtual hosts go by it, else the URL's. */
export function peerName(request: HttpRequest): string {
  const host = hostHeader(request)
  const named = host === null ? null : URL.parse(`http://${host}`)
  return bareHost((named ?? request.url).hostname)
}

/** An IPv6 literal without its brackets, a name without the dot of the DNS root. */
function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '')
}

/** All headers as they are written, in their order, those of the transport included. */
export function sentHeaders({ method, url, headers, body }: HttpRequest): HttpHeader[] {
  const sent: HttpHeader[] = hasHeader(headers, 'host') ? [...headers] : [['host', url.host], ...headers]
  sent.push(['connection', 'close'])
  if (body !== null) sent.push(['content-length', String(Buffer.byteLength(body))])
  else if (bodyMethods.has(method)) sent.push(['content-length', '0'])
  return sent
}

/** The request as it is told. Lines of one header are joined. */
export function sentRequest(request: HttpRequest): SentRequest {
  const { method, url, body } = request
  const headers: Record<string, string> = {}
  for (const [name, value] of sentHeaders(request)) {
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value
  }
  return { method, url: url.href, headers, body: body ?? '' }
}
