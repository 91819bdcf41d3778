import type { HttpRequest } from './http-request.ts'

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
/** What is meant for one origin is not told to another (RFC 9110 §15.4). */
const originHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'host'])

/** Where a response sends the request on to, by the rules of the Fetch standard; `invalid` is no address to request. */
export function redirect(request: HttpRequest, response: RedirectingResponse): Redirect {
  const { location } = response.headers
  if (!redirectStatuses.has(response.status) || location === undefined || location === '') {
    return { kind: 'none' }
  }
  const url = typeof location === 'string' ? URL.parse(fromWire(location), request.url) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return { kind: 'invalid' }
  url.username = ''
  url.password = ''
  url.hash = ''
  const asGet = becomesGet(response.status, request.method)
  const elsewhere = url.origin !== request.url.origin
  const headers = request.headers.filter(([name]) => {
    const lower = name.toLowerCase()
    return !(asGet && bodyHeaders.has(lower)) && !(elsewhere && originHeaders.has(lower))
  })
  const method = asGet ? 'GET' : request.method
  return { kind: 'to', request: { method, url, headers, body: asGet ? null : request.body } }
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return (status === 301 || status === 302) && method === 'POST'
}

/** Header values come as Latin-1; servers write UTF-8. */
function fromWire(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8')
}
