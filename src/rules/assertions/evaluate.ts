import type { AssertionResult, Comparison } from '../../contract/assertion.ts'
import type { ApiObservation } from '../../contract/checks/api/observation.ts'
import { isSensitiveHeader, redacted } from '../sensitive-headers.ts'
import { type ApiAssertion, apiReader, type Reading } from './api-sources.ts'
import { compare, type Value } from './compare.ts'
import { shorten } from './shown.ts'

/** Every assertion in its order: all are evaluated, and none throws (semantics §3). */
export function evaluateApiAssertions(
  assertions: readonly ApiAssertion[],
  observation: ApiObservation,
  responseTimeMs: number,
): AssertionResult[] {
  const read = apiReader(observation, responseTimeMs)
  return assertions.map((assertion) => conclude(assertion, discreet(assertion, guarded(assertion, read))))
}

interface Finding {
  readonly actual: string | null
  /** Why it does not hold, to be read after "expected …, "; null when it holds. */
  readonly fault: string | null
}

function conclude(assertion: ApiAssertion, { actual, fault }: Finding): AssertionResult {
  const { source, comparison, property, target, regex } = assertion
  const message = fault === null ? null : `expected ${describe(assertion)}, ${fault}`
  return { source, comparison, property, target, regex, actual, holds: fault === null, message }
}

function guarded(assertion: ApiAssertion, read: (assertion: ApiAssertion) => Reading): Finding {
  try {
    return find(assertion, read(assertion))
  } catch (error) {
    // JSON may be so deep that no recursion gets to its end.
    if (error instanceof RangeError) {
      return { actual: null, fault: 'but what was found is nested too deeply to compare' }
    }
    throw error
  }
}

/** A sensitive header is compared, and its value told to nobody. */
function discreet({ source, property }: ApiAssertion, finding: Finding): Finding {
  if (source !== 'HEADERS' || finding.actual === null || !isSensitiveHeader(property.trim())) return finding
  return { actual: redacted, fault: finding.fault && `was ${redacted}` }
}

function find({ comparison, target }: ApiAssertion, reading: Reading): Finding {
  if (reading.kind === 'unreadable') return { actual: null, fault: `but ${reading.reason}` }
  const { values } = reading
  const failing = values.findIndex((value) => !compare(comparison, value, target))
  if (failing < 0) return { actual: actualOf(values), fault: null }
  const place = values.length > 1 ? ` (number ${failing + 1} of ${values.length} found)` : ''
  return { actual: actualOf(values), fault: `${was(values[failing])}${place}` }
}

function actualOf(values: readonly Value[]): string | null {
  const [value] = values
  if (values.length > 1) return shorten(JSON.stringify(values))
  if (value === undefined) return null
  return shorten(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Texts in quotes, so that "200" and 200, or a blank and nothing, are told apart. */
function was(value: Value): string {
  return value === undefined ? 'found nothing' : `was ${shorten(JSON.stringify(value))}`
}

const withoutTarget: readonly Comparison[] = ['IS_EMPTY', 'NOT_EMPTY', 'IS_NULL', 'NOT_NULL']

function describe({ source, property, comparison, target }: ApiAssertion): string {
  const subject = source === 'JSON_BODY' ? property || '$' : [source, property].filter(Boolean).join(' ')
  const expected = withoutTarget.includes(comparison) ? comparison : `${comparison} ${target}`
  return `${shorten(subject)} ${shorten(expected)}`
}
