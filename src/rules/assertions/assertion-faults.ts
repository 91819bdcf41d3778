import type { Fault } from '../../lib/validate.ts'
import { type ApiAssertion, pathOf } from './api-sources.ts'
import { selectJson } from './json-path.ts'
import { shorten } from './shown.ts'

/**
 * Regular expressions and JSONPaths that can never be used, whatever is answered (semantics §1). Paths are those of a
 * check: `request.assertions[0].property`. A few expressions are found too large only where they are searched with.
 */
export function assertionFaults(assertions: readonly ApiAssertion[]): Fault[] {
  return assertions.flatMap((assertion, index) => faultsOf(assertion, `request.assertions[${index}]`))
}

function faultsOf(assertion: ApiAssertion, path: string): Fault[] {
  switch (assertion.source) {
    case 'HEADERS':
      return patternFaults(assertion.regex ?? '', `${path}.regex`)
    case 'TEXT_BODY':
      return patternFaults(assertion.property, `${path}.property`)
    case 'JSON_BODY':
      return jsonPathFaults(pathOf(assertion), `${path}.property`)
    case 'STATUS_CODE':
    case 'RESPONSE_TIME':
      return []
  }
}

function patternFaults(pattern: string, path: string): Fault[] {
  try {
    new RegExp(pattern)
    return []
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error)
    // The engine writes the whole expression before what is wrong with it.
    const reason = told.replace(`Invalid regular expression: /${pattern}/: `, '')
    return [{ path, text: `"${path}" is not a valid regular expression: ${shorten(reason)}` }]
  }
}

function jsonPathFaults(jsonPath: string, path: string): Fault[] {
  const selected = selectJson(null, jsonPath)
  if (selected.kind !== 'path-invalid') return []
  return [{ path, text: `"${path}" is not a valid JSONPath: ${shorten(selected.reason)}` }]
}
