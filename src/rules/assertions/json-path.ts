import { JSONPathEnvironment, type JSONPathQuery, JSONPathRecursionLimitError } from 'json-p3'
import { boundedCache } from '../bounded-cache.ts'
import type { JsonValue, Value } from './json-value.ts'

/** `values` may hold undefined: the length of something that has none. */
export type JsonPathResult =
  | { readonly kind: 'found'; readonly values: readonly Value[] }
  | { readonly kind: 'path-invalid'; readonly reason: string }
  | { readonly kind: 'too-many' }

/** A path that selects more gives none of them. */
export const maxSelected = 100_000

type Compiled =
  | { readonly kind: 'compiled'; readonly query: JSONPathQuery; readonly upToLength: JSONPathQuery | null }
  | { readonly kind: 'path-invalid'; readonly reason: string }

/** Levels of a document that `..` goes down. */
const maxDepth = 1000
const rfc9535 = new JSONPathEnvironment({ maxRecursionDepth: maxDepth })
/** `$..length` asks for members of that name at every depth and for nothing else. */
const endsInLength = /(?<!\.)\.length$/

const compile = boundedCache(1000, (path: string): Compiled => {
  try {
    const query = rfc9535.compile(path)
    const upToLength = endsInLength.test(path) ? rfc9535.compile(path.replace(endsInLength, '')) : null
    return { kind: 'compiled', query, upToLength }
  } catch (error) {
    return { kind: 'path-invalid', reason: error instanceof Error ? error.message : String(error) }
  }
})

/**
 * What an RFC 9535 path selects. Where it ends in `.length` and selects nothing, it is the length of each list or text
 * that the rest selects (semantics §1).
 */
export function selectJson(document: JsonValue, path: string): JsonPathResult {
  const compiled = compile(path)
  if (compiled.kind === 'path-invalid') return compiled
  const { query, upToLength } = compiled
  const found = collect(query, document)
  if (found.kind === 'too-many' || found.values.length > 0 || !upToLength) return found
  const measured = collect(upToLength, document)
  return measured.kind === 'too-many' ? measured : { kind: 'found', values: measured.values.map(lengthOf) }
}

/** Names, indexes and `.length` only: costs no more than its own length, whatever the document. */
export function isPlainPath(path: string): boolean {
  const compiled = compile(path)
  return compiled.kind === 'path-invalid' || compiled.query.singularQuery()
}

type Collected = { readonly kind: 'found'; readonly values: readonly Value[] } | { readonly kind: 'too-many' }

/** @throws RangeError where `..` comes to no end of the document */
function collect(query: JSONPathQuery, document: JsonValue): Collected {
  const values: Value[] = []
  try {
    for (const { value } of query.lazyQuery(document)) {
      if (values.length === maxSelected) return { kind: 'too-many' }
      // Our documents hold nothing undefined, and so does what is selected of them.
      values.push(value as JsonValue)
    }
  } catch (error) {
    if (!(error instanceof JSONPathRecursionLimitError)) throw error
    throw new RangeError('the document is nested too deeply', { cause: error })
  }
  return { kind: 'found', values }
}

function lengthOf(value: Value): number | undefined {
  return Array.isArray(value) || typeof value === 'string' ? value.length : undefined
}
