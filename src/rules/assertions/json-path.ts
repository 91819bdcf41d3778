import { type JsonValue, query } from 'jsonpath-rfc9535'

export type { JsonValue } from 'jsonpath-rfc9535'

/** `values` may hold undefined: the length of something that has none. */
export type JsonPathResult =
  | { readonly kind: 'found'; readonly values: readonly (JsonValue | undefined)[] }
  | { readonly kind: 'path-invalid'; readonly reason: string }

/**
 * What an RFC 9535 path selects. Where it ends in `.length` and selects nothing, it is the length of each list or text
 * that the rest selects (semantics §1).
 */
export function selectJson(document: JsonValue, path: string): JsonPathResult {
  try {
    const values = query(document, path)
    if (values.length > 0 || !endsInLength.test(path)) return { kind: 'found', values }
    return { kind: 'found', values: query(document, path.replace(endsInLength, '')).map(lengthOf) }
  } catch (error) {
    return { kind: 'path-invalid', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** `$..length` asks for members of that name at every depth and for nothing else. */
const endsInLength = /(?<!\.)\.length$/

function lengthOf(value: JsonValue): number | undefined {
  return Array.isArray(value) || typeof value === 'string' ? value.length : undefined
}
