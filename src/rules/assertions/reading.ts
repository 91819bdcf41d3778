import { firstMatch } from './first-match.ts'
import type { JsonDocument } from './json-document.ts'
import { maxSelected, selectJson } from './json-path.ts'
import type { Value } from './json-value.ts'
import { shorten } from './shown.ts'

/** What an assertion's source gives: the values that its comparison must hold for, or why there is none to compare. */
export type Reading =
  | { readonly kind: 'values'; readonly values: readonly Value[] }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Reads the sources of one check type over what was observed. */
export interface Reader<A> {
  /** Does what assertions share, the first time that it is needed: parses JSON. */
  prepare(assertion: A): void
  read(assertion: A): Reading
}

export const one = (value: Value): Reading => ({ kind: 'values', values: [value] })
export const unreadable = (reason: string): Reading => ({ kind: 'unreadable', reason })

/** The text, or what a regular expression selects of it (semantics §1). */
export function narrow(text: string, pattern: string): Reading {
  if (pattern === '') return one(text)
  const match = firstMatch(pattern, text)
  return match.kind === 'searched' ? one(match.text ?? undefined) : unreadable(shorten(match.reason))
}

/** A path that selects nothing gives nothing to compare with. */
export function readJson(json: JsonDocument, path: string): Reading {
  if (json.kind === 'unreadable') return json
  const selected = selectJson(json.document, path)
  switch (selected.kind) {
    case 'path-invalid':
      return unreadable(`its JSONPath is not valid: ${shorten(selected.reason)}`)
    case 'too-many':
      return unreadable(`its JSONPath selects more than ${maxSelected} values`)
    case 'found':
      return selected.values.length === 0 ? one(undefined) : { kind: 'values', values: selected.values }
  }
}
