import type { SentRequest } from '../../contract/checks/api/observation.ts'

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

/** Whether a header, in whatever letters, is there. */
export function hasHeader(headers: readonly HttpHeader[], lowerCaseName: string): boolean {
  return headers.some(([name]) => name.toLowerCase() === lowerCaseName)
}

/** Whom the request is for: the Host header's name where it has one, as virtual hosts go by it, else the URL's. */
export function peerName({ headers, url }: HttpRequest): string {
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1]
  const named = host === undefined ? null : URL.parse(`http://${host}`)
  return bareHost((named ?? url).hostname)
}

/** An IPv6 literal without its brackets, a name without the dot of the DNS root. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '')
}

/** The request with the headers that the transport adds. Lines of one header are joined. */
export function sentRequest({ method, url, headers, body }: HttpRequest): SentRequest {
  const sent: Record<string, string> = hasHeader(headers, 'host') ? {} : { host: url.host }
  sent['connection'] = 'close'
  for (const [name, value] of headers) sent[name] = name in sent ? `${sent[name]}, ${value}` : value
  if (body !== null) sent['content-length'] = String(Buffer.byteLength(body))
  return { method, url: url.href, headers: sent, body: body ?? '' }
}
