import { type ApiAssertion, pathOf } from './api-sources.ts'
import { isPlainPath } from './json-path.ts'

/** What an assertion's time goes to where it is not bounded by the length of what it reads; null where it is. */
export function unboundedPart(assertion: ApiAssertion): 'regular expression' | 'JSONPath' | null {
  switch (assertion.source) {
    case 'HEADERS':
      return assertion.regex ? 'regular expression' : null
    case 'TEXT_BODY':
      return assertion.property === '' ? null : 'regular expression'
    case 'JSON_BODY':
      return isPlainPath(pathOf(assertion)) ? null : 'JSONPath'
    case 'STATUS_CODE':
    case 'RESPONSE_TIME':
      return null
  }
}

export const readsBody = ({ source }: ApiAssertion) => source === 'TEXT_BODY' || source === 'JSON_BODY'
