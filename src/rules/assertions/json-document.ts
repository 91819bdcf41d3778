import type { HttpObservation } from '../../contract/checks/http-observation.ts'
import { takesMoreMemory } from './json-memory.ts'
import type { JsonValue } from './json-value.ts'

export type JsonDocument =
  | { readonly kind: 'parsed'; readonly document: JsonValue }
  | { readonly kind: 'unreadable'; readonly reason: string }

const maxBytes = 384 * 1024 * 1024

/** The body as JSON, or why there is none. */
export function readJsonBody({ body, truncated }: HttpObservation['response']): JsonDocument {
  if (body === null) return unreadable('the response body is binary')
  if (takesMoreMemory(body, maxBytes)) {
    return unreadable('the response body holds too many values: as JSON it would take over 384 MB of memory')
  }
  try {
    const document: JsonValue = JSON.parse(body)
    return { kind: 'parsed', document }
  } catch {
    const cut = truncated ? ', because it is cut off at the size limit' : ''
    return unreadable(`the response body is not JSON${cut}`)
  }
}

const unreadable = (reason: string): JsonDocument => ({ kind: 'unreadable', reason })
