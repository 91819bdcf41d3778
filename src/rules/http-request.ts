import type { ApiRequest } from '../contract/checks/api/request.ts'
import type { UrlRequest } from '../contract/checks/url/request.ts'

const nothingElse = { body: '', bodyType: 'NONE', headers: [], queryParameters: [] } as const

/** A URL check asks as an API check without headers, parameters and a body does; the same one gives the same object. */
const known = new WeakMap<UrlRequest, ApiRequest>()

/** What an HTTP check asks for, whatever its type. */
export function httpRequestOf(request: ApiRequest | UrlRequest): ApiRequest {
  if ('body' in request) return request
  const earlier = known.get(request)
  if (earlier) return earlier
  const made: ApiRequest = { ...nothingElse, headers: [], queryParameters: [], ...request }
  known.set(request, made)
  return made
}
