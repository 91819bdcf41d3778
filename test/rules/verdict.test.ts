import { describe, expect, test } from 'vitest'
import type { AssertionResult } from '../../src/contract/assertion.ts'
import { verdict } from '../../src/rules/verdict.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { observed, timedOut, unreachable } from '../support/api-outcomes.ts'

const none = apiDefinition('http://target.test/')
const shouldFail = { ...none, shouldFail: true }

const assertion = (message: string | null): AssertionResult => ({
  source: 'STATUS_CODE',
  comparison: 'EQUALS',
  property: '',
  target: '200',
  regex: null,
  actual: '503',
  holds: message === null,
  message,
})

describe('the base condition', () => {
  test.each([
    [200, none, 'passing'],
    [399, none, 'passing'],
    [400, none, 'failing'],
    [503, none, 'failing'],
    [200, shouldFail, 'failing'],
    [399, shouldFail, 'failing'],
    [400, shouldFail, 'passing'],
    [503, shouldFail, 'passing'],
  ] as const)('makes of a status %s with %o: %s', (status, thresholds, state) => {
    expect(verdict(observed({ status }), [], thresholds).state).toBe(state)
  })

  test.each([
    ['a refused connection', unreachable('refused'), 'it failed: refused'],
    ['a name that does not exist', unreachable('dns-nxdomain'), 'it failed: dns-nxdomain'],
    ['a silent target', timedOut(), 'it took too long'],
    ['an error page that never ended', timedOut(503), 'it took too long'],
    ['an error page that was cut off', unreachable('truncated', 503), 'it failed: truncated'],
  ])('is never met by %s, whatever shouldFail says', (_name, outcome, reason) => {
    for (const thresholds of [none, shouldFail]) {
      const { state, reasons } = verdict(outcome, [], thresholds)
      expect({ state, reasons }).toEqual({ state: 'failing', reasons: [reason] })
    }
  })

  test('says which status it saw', () => {
    expect(verdict(observed({ status: 503 }), [], none).reasons).toEqual([
      'the response status 503 is 400 or above',
    ])
    expect(verdict(observed({ status: 200 }), [], shouldFail).reasons).toEqual([
      'the response status 200 is below 400, and shouldFail expects 400 or above',
    ])
  })
})

describe('assertions', () => {
  const holding = assertion(null)
  const failing = assertion('expected STATUS_CODE EQUALS 200, was 503')

  test('pass when all hold', () => {
    expect(verdict(observed({}), [holding, holding], none)).toMatchObject({ state: 'passing', reasons: [] })
  })

  test('fail when one does not', () => {
    expect(verdict(observed({}), [holding, failing], none)).toMatchObject({
      state: 'failing',
      reasons: ['expected STATUS_CODE EQUALS 200, was 503'],
    })
  })

  test('must hold with shouldFail too: it inverts the status alone', () => {
    expect(verdict(observed({ status: 503 }), [failing], shouldFail).state).toBe('failing')
    expect(verdict(observed({ status: 503 }), [holding], shouldFail).state).toBe('passing')
  })
})

describe('a response time', () => {
  const both = { ...none, degradedResponseTimeMs: 500, maxResponseTimeMs: 1000 }

  test.each([
    [499, 'passing', false, false],
    [500, 'passing', false, false],
    [500.001, 'degraded', true, false],
    [1000, 'degraded', true, false],
    [1000.001, 'failing', true, true],
  ] as const)('of %s ms with thresholds of 500 and 1000 is %s', (tookMs, state, overDegraded, overMax) => {
    expect(verdict(observed({}, tookMs), [], both)).toMatchObject({
      state,
      overDegradedResponseTime: overDegraded,
      overMaxResponseTime: overMax,
    })
  })

  test('says how long it was and what it passed', () => {
    expect(verdict(observed({}, 812.4), [], both).reasons).toEqual([
      'the response took 812.4 ms, over degradedResponseTime 500 ms',
    ])
    expect(verdict(observed({}, 1812.4), [], both).reasons).toEqual([
      'the response took 1812.4 ms, over maxResponseTime 1000 ms',
    ])
  })

  test('has a threshold of 0 where 0 is given, and none where null is', () => {
    expect(verdict(observed({}, 0.001), [], { ...none, maxResponseTimeMs: 0 }).state).toBe('failing')
    expect(verdict(observed({}, 0.001), [], { ...none, degradedResponseTimeMs: 0 }).state).toBe('degraded')
    expect(verdict(observed({}, 30_000), [], none).state).toBe('passing')
  })

  test('counts with shouldFail as well', () => {
    const outcome = observed({ status: 503 }, 2000)
    expect(verdict(outcome, [], { ...both, shouldFail: true }).state).toBe('failing')
    expect(verdict(outcome, [], { ...both, shouldFail: true, maxResponseTimeMs: null }).state).toBe(
      'degraded',
    )
  })

  test('never makes a failed check degraded', () => {
    expect(verdict(observed({ status: 503 }, 600), [], both)).toMatchObject({
      state: 'failing',
      overDegradedResponseTime: true,
      reasons: ['the response status 503 is 400 or above'],
    })
  })

  test('is not claimed for a response that never came, though the thresholds were passed', () => {
    expect(verdict(timedOut(null, 30_000), [], both)).toEqual({
      state: 'failing',
      overMaxResponseTime: true,
      overDegradedResponseTime: true,
      reasons: ['it took too long'],
    })
  })
})

test('every reason is given, in the order of status, assertions, time', () => {
  const assertions = [assertion('one'), assertion(null), assertion('two')]
  const outcome = observed({ status: 500 }, 9)
  expect(verdict(outcome, assertions, { ...none, maxResponseTimeMs: 5 }).reasons).toEqual([
    'the response status 500 is 400 or above',
    'one',
    'two',
    'the response took 9 ms, over maxResponseTime 5 ms',
  ])
})
