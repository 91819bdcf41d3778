import { expect, test } from 'vitest'
import type { CheckDefinition } from '../../src/contract/run.ts'
import { judge } from '../../src/rules/judge.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { observed, timedOut, unreachable } from '../support/api-outcomes.ts'

const assertions: CheckDefinition['request']['assertions'] = [
  { source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '200', regex: null },
  { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', property: '', target: '100', regex: null },
]
const definition = apiDefinition('http://target.test/', { assertions })

test('passes what answers as it should', () => {
  const judgement = judge(definition, observed({ status: 200 }, 99.9))
  expect(judgement.assertions.map(({ holds }) => holds)).toEqual([true, true])
  expect(judgement.verdict.state).toBe('passing')
})

test('fails what its assertions do not hold for, and says so', () => {
  const { verdict } = judge(definition, observed({ status: 201 }, 150.5))
  expect(verdict.reasons).toEqual([
    'expected STATUS_CODE EQUALS 200, was 201',
    'expected RESPONSE_TIME LESS_THAN 100, was 150.5',
  ])
})

test('goes by the thresholds of the check', () => {
  const strict = { ...definition, degradedResponseTimeMs: 10, maxResponseTimeMs: 50 }
  expect(judge(strict, observed({}, 10)).verdict.state).toBe('passing')
  expect(judge(strict, observed({}, 11)).verdict.state).toBe('degraded')
  expect(judge(strict, observed({}, 51)).verdict.state).toBe('failing')
})

test('inverts the status of a check that should fail', () => {
  const inverted = { ...apiDefinition('http://target.test/'), shouldFail: true }
  expect(judge(inverted, observed({ status: 404 })).verdict.state).toBe('passing')
  expect(judge(inverted, observed({ status: 200 })).verdict.state).toBe('failing')
})

test.each([unreachable(), timedOut(), timedOut(200)])(
  'asserts on nothing where nothing was observed: $kind',
  (outcome) => {
    const judgement = judge(definition, outcome)
    expect(judgement.assertions).toEqual([])
    expect(judgement.verdict).toMatchObject({ state: 'failing', reasons: [outcome.cause.message] })
  },
)
