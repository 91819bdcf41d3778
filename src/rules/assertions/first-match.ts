import { boundedCache } from './bounded-cache.ts'

/** `text` is null where nothing matches, or where the capture group took no part in the match. */
export type FirstMatch =
  | { readonly kind: 'searched'; readonly text: string | null }
  | { readonly kind: 'pattern-invalid'; readonly reason: string }

type Compiled =
  | { readonly kind: 'compiled'; readonly expression: RegExp }
  | { readonly kind: 'pattern-invalid'; readonly reason: string }

const compile = boundedCache(1000, (pattern: string): Compiled => {
  try {
    return { kind: 'compiled', expression: new RegExp(pattern) }
  } catch (error) {
    return { kind: 'pattern-invalid', reason: error instanceof Error ? error.message : String(error) }
  }
})

/** The first capture group of the first match, or the whole match where the pattern has no group (semantics §1). */
export function firstMatch(pattern: string, text: string): FirstMatch {
  const compiled = compile(pattern)
  if (compiled.kind === 'pattern-invalid') return compiled
  const match = compiled.expression.exec(text)
  if (!match) return { kind: 'searched', text: null }
  const found = match.length > 1 ? match[1] : match[0]
  return { kind: 'searched', text: found ?? null }
}
