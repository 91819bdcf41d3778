import type { TcpRequest } from '../../contract/checks/tcp/request.ts'

type TcpAssertion = TcpRequest['assertions'][number]

const mostCharacters = 1000
const mostAlternatives = 8
const mostRepeats = 1000

/** Something in brackets that may be there more than once, or not. */
const repeatedGroup = /\)[*+?{]/
const repeats = /\{(\d+)/g

/** Matches nowhere. */
const never = '(?!)'

/**
 * An assertion as it is asked, outside of any deadline, of a target that said nothing: also on an empty text there are
 * regular expressions that take days, by alternatives that are repeated. One that may be such is taken not to match; it
 * is asked itself where the attempt is judged.
 */
export function askOfNothing(assertion: TcpAssertion): TcpAssertion {
  return isQuickOnNothing(assertion.property) ? assertion : { ...assertion, property: never }
}

function isQuickOnNothing(pattern: string): boolean {
  if (pattern.length > mostCharacters || repeatedGroup.test(pattern)) return false
  const counts = [...pattern.matchAll(repeats)].map(([, count]) => Number(count))
  if (counts.reduce((sum, count) => sum + count, 0) > mostRepeats) return false
  return pattern.split('|').length <= mostAlternatives
}
