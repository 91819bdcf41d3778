import { boundedCache } from '../bounded-cache.ts'

/** `text` is null where nothing matches, or where the capture group took no part in the match. */
export type FirstMatch =
  | { readonly kind: 'searched'; readonly text: string | null }
  | { readonly kind: 'unsearchable'; readonly reason: string }

type Compiled =
  | { readonly kind: 'compiled'; readonly expression: RegExp }
  | Extract<FirstMatch, { kind: 'unsearchable' }>

const compile = boundedCache(1000, (pattern: string): Compiled => {
  try {
    return { kind: 'compiled', expression: new RegExp(pattern) }
  } catch (error) {
    return unsearchable(error)
  }
})

/** The first capture group of the first match, or the whole match where the pattern has no group (semantics §1). */
export function firstMatch(pattern: string, text: string): FirstMatch {
  const compiled = compile(pattern)
  return compiled.kind === 'compiled' ? search(compiled.expression, text) : compiled
}

function search(expression: RegExp, text: string): FirstMatch {
  try {
    const match = expression.exec(text)
    if (!match) return { kind: 'searched', text: null }
    const found = match.length > 1 ? match[1] : match[0]
    return { kind: 'searched', text: found ?? null }
  } catch (error) {
    return unsearchable(error)
  }
}

/** Some patterns are found too large only when they are used; some need more room to go back than there is. */
function unsearchable(error: unknown): Extract<FirstMatch, { kind: 'unsearchable' }> {
  const reason =
    error instanceof RangeError
      ? 'its regular expression needs too much memory for this text'
      : `its regular expression is not valid: ${error instanceof Error ? error.message : String(error)}`
  return { kind: 'unsearchable', reason }
}
