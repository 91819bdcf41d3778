import { type Assertion, kindOf, pathOf } from './assertion.ts'
import { isPlainPath } from './json-path.ts'

/** What an assertion's time goes to where it is not bounded by the length of what it reads; null where it is. */
export function unboundedPart(assertion: Assertion): 'regular expression' | 'JSONPath' | null {
  switch (kindOf(assertion)) {
    case 'header':
      return assertion.regex ? 'regular expression' : null
    case 'text':
      return assertion.property === '' ? null : 'regular expression'
    case 'json':
      return isPlainPath(pathOf(assertion)) ? null : 'JSONPath'
    case 'value':
      return null
  }
}

/** Whether it reads all that the target answered. */
export function readsAnswer(assertion: Assertion): boolean {
  const kind = kindOf(assertion)
  return kind === 'text' || kind === 'json'
}
