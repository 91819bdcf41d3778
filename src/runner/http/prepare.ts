import type { ApiRequest } from '../../contract/checks/api/request.ts'
import { buildRequest } from './build-request.ts'
import type { HttpRequest } from './http-request.ts'

/** What every attempt with the same request needs. */
export interface Prepared {
  /** Null where there is no URL that could be requested. */
  readonly first: HttpRequest | null
  /** Whether the text of a binary body is wanted (semantics §3). */
  readonly binaryAsText: boolean
}

/** Prepares a request once for as long as somebody holds it: to do so again for each attempt costs a tenth of it. */
export function createPreparer(userAgent: string): (request: ApiRequest) => Prepared {
  const known = new WeakMap<ApiRequest, Prepared>()
  return (request) => {
    const earlier = known.get(request)
    if (earlier) return earlier
    const binaryAsText = request.assertions.some(({ source }) => source === 'TEXT_BODY')
    const prepared = { first: buildRequest(request, userAgent), binaryAsText }
    known.set(request, prepared)
    return prepared
  }
}
