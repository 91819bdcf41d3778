import type { AssertionResult, Comparison } from '../../contract/assertion.ts'
import { isSensitiveHeader, redacted } from '../sensitive-headers.ts'
import { type Assertion, kindOf, pathOf } from './assertion.ts'
import { comparer } from './compare.ts'
import type { Value } from './json-value.ts'
import type { Reader, Reading } from './reading.ts'
import { shorten, shownJson } from './shown.ts'

/** The assertions of a check over what was observed, to be evaluated one at a time; none throws (semantics §3). */
export interface Evaluation {
  readonly count: number
  /** Does what assertions share, before the one with this index: reads the body as JSON. */
  readonly prepare: (index: number) => void
  readonly evaluate: (index: number) => AssertionResult
}

export function evaluationOver<A extends Assertion>(assertions: readonly A[], reader: Reader<A>): Evaluation {
  const at = (index: number) => {
    const assertion = assertions[index]
    if (!assertion) throw noSuchAssertion(index)
    return assertion
  }
  return {
    count: assertions.length,
    prepare: (index) => reader.prepare(at(index)),
    evaluate: (index) => {
      const assertion = at(index)
      return conclude(assertion, discreet(assertion, guarded(assertion, reader)))
    },
  }
}

export const nothingToEvaluate: Evaluation = {
  count: 0,
  prepare: () => {},
  evaluate: (index) => {
    throw noSuchAssertion(index)
  },
}

const noSuchAssertion = (index: number) => new RangeError(`there is no assertion ${index}`)

/** An assertion that does not hold because it could not be evaluated; `reason` is read after "but". */
export function unevaluated(assertion: Assertion, reason: string): AssertionResult {
  return conclude(assertion, { actual: null, fault: `but ${reason}` })
}

interface Finding {
  readonly actual: string | null
  /** Why it does not hold, to be read after "expected …, "; null when it holds. */
  readonly fault: string | null
}

function conclude(assertion: Assertion, { actual, fault }: Finding): AssertionResult {
  const { source, comparison, property, target, regex } = assertion
  const message = fault === null ? null : `expected ${describe(assertion)}, ${fault}`
  return { source, comparison, property, target, regex, actual, holds: fault === null, message }
}

function guarded<A extends Assertion>(assertion: A, reader: Reader<A>): Finding {
  try {
    return find(assertion, reader.read(assertion))
  } catch (error) {
    // JSON may be so deep that no recursion gets to its end.
    if (error instanceof RangeError) {
      return { actual: null, fault: 'but what was found is nested too deeply to compare' }
    }
    throw error
  }
}

/** A sensitive header is compared, and its value told to nobody. */
function discreet({ source, property }: Assertion, finding: Finding): Finding {
  if (source !== 'HEADERS' || finding.actual === null || !isSensitiveHeader(property.trim())) return finding
  return { actual: redacted, fault: finding.fault && `was ${redacted}` }
}

function find({ comparison, target }: Assertion, reading: Reading): Finding {
  if (reading.kind === 'unreadable') return { actual: null, fault: `but ${reading.reason}` }
  const { values } = reading
  const holds = comparer(comparison, target)
  const failing = values.findIndex((value) => !holds(value))
  if (failing < 0) return { actual: actualOf(values), fault: null }
  const place = values.length > 1 ? ` (number ${failing + 1} of ${values.length} found)` : ''
  return { actual: actualOf(values), fault: `${was(values[failing])}${place}` }
}

function actualOf(values: readonly Value[]): string | null {
  const [value] = values
  if (values.length > 1) return shownJson(values)
  if (value === undefined) return null
  return typeof value === 'string' ? shorten(value) : shownJson(value)
}

/** Texts in quotes, so that "200" and 200, or a blank and nothing, are told apart. */
function was(value: Value): string {
  return value === undefined ? 'found nothing' : `was ${shownJson(value)}`
}

const withoutTarget: readonly Comparison[] = ['IS_EMPTY', 'NOT_EMPTY', 'IS_NULL', 'NOT_NULL']

function describe(assertion: Assertion): string {
  const { comparison, target } = assertion
  const expected = withoutTarget.includes(comparison) ? comparison : `${comparison} ${target}`
  return `${shorten(subjectOf(assertion))} ${shorten(expected)}`
}

function subjectOf(assertion: Assertion): string {
  const { source, property, regex } = assertion
  switch (kindOf(assertion)) {
    case 'json':
      return pathOf(assertion)
    case 'text':
      return property === '' ? source : `${source} "${property}"`
    case 'header':
      return [source, property, regex && `"${regex}"`].filter(Boolean).join(' ')
    case 'value':
      return [source, property].filter(Boolean).join(' ')
  }
}
