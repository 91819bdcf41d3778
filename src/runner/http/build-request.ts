import type { Static } from 'typebox'
import type { ApiRequest, BasicAuth } from '../../contract/checks/api/request.ts'
import type { KeyValue } from '../../contract/key-value.ts'
import { type HttpHeader, type HttpRequest, hasHeader } from './http-request.ts'
import { isRequestable } from './requestable-url.ts'

type Entries = readonly Static<typeof KeyValue>[]

const contentTypes = {
  NONE: null,
  JSON: 'application/json',
  FORM: 'application/x-www-form-urlencoded',
  GRAPHQL: 'application/json',
  RAW: 'text/plain',
} as const satisfies Record<ApiRequest['bodyType'], string | null>

/** Framing is the transport's: a user's own of these would contradict what is really sent. */
const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])

/** What the definition asks for, as a request; null when its URL is not one of http or https. */
export function buildRequest(request: ApiRequest, userAgent: string): HttpRequest | null {
  const url = URL.parse(request.url)
  if (!url || !isRequestable(url)) return null
  const headers: HttpHeader[] = []
  for (const { key, value } of request.headers) {
    const name = key.trim()
    if (name !== '' && !framing.has(name.toLowerCase())) headers.push([name, value.trim()])
  }
  const fill = (name: string, value: string | null) => {
    if (value !== null && !hasHeader(headers, name)) headers.push([name, value])
  }
  const body = bodyOf(request)
  fill('authorization', authorization(request.basicAuth) ?? urlAuthorization(url))
  fill('user-agent', userAgent)
  fill('accept', '*/*')
  fill('accept-encoding', 'gzip, deflate, br, zstd')
  fill('content-type', body === null ? null : contentTypes[request.bodyType])
  url.search = withParameters(url.search, request.queryParameters)
  url.username = ''
  url.password = ''
  url.hash = ''
  return { method: request.method, url, headers, body }
}

/** The query of the URL stays as it was written. */
function withParameters(search: string, parameters: Entries): string {
  const added = parameters
    .filter(({ key }) => key !== '')
    .map(({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
  if (added.length === 0) return search
  return search.length > 1 ? `${search}&${added.join('&')}` : `?${added.join('&')}`
}

function bodyOf({ body, bodyType }: ApiRequest): string | null {
  if (bodyType === 'NONE' || body === '') return null
  return bodyType === 'GRAPHQL' && !isGraphqlEnvelope(body) ? JSON.stringify({ query: body }) : body
}

function isGraphqlEnvelope(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && 'query' in value
  } catch {
    return false
  }
}

/** Some clients send an empty object for none (semantics §2). */
function authorization(auth: Static<typeof BasicAuth> | null | undefined): string | null {
  return auth && (auth.username !== '' || auth.password !== '') ? basic(auth.username, auth.password) : null
}

function urlAuthorization({ username, password }: URL): string | null {
  return username === '' && password === '' ? null : basic(decode(username), decode(password))
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
