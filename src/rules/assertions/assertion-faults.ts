import type { Fault } from '../../lib/find-faults.ts'
import { type Assertion, kindOf, pathOf } from './assertion.ts'
import { isLatencyProperty } from './icmp-sources.ts'
import { selectJson } from './json-path.ts'
import { shorten } from './shown.ts'

/**
 * Regular expressions and JSONPaths that can never be used, whatever is answered (semantics §1). Paths are those of a
 * check: `request.assertions[0].property`. A few expressions are found too large only where they are searched with.
 */
export function assertionFaults(assertions: readonly Assertion[]): Fault[] {
  return assertions.flatMap((assertion, index) => faultsOf(assertion, `request.assertions[${index}]`))
}

function faultsOf(assertion: Assertion, path: string): Fault[] {
  switch (kindOf(assertion)) {
    case 'header':
      return patternFaults(assertion.regex ?? '', `${path}.regex`)
    case 'text':
      return patternFaults(assertion.property, `${path}.property`)
    case 'json':
      return jsonPathFaults(pathOf(assertion), `${path}.property`)
    case 'value':
      return assertion.source === 'LATENCY' ? latencyFaults(assertion.property, `${path}.property`) : []
  }
}

function latencyFaults(property: string, path: string): Fault[] {
  if (isLatencyProperty(property)) return []
  return [{ path, text: `"${path}" must be one of min, max, avg and stddev` }]
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
