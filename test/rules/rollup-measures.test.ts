import { expect, test } from 'vitest'
import type { Outcome } from '../../src/contract/outcome.ts'
import { measuresOf, statusCodeOf } from '../../src/rules/rollup-measures.ts'
import { observed, timedOut, unreachable } from '../support/api-outcomes.ts'
import { finishedResult } from '../support/finished-result.ts'

const verdict = {
  state: 'failing',
  overMaxResponseTime: false,
  overDegradedResponseTime: false,
  reasons: [],
} as const

function judged(outcome: Outcome) {
  return finishedResult({
    queueUs: 250,
    conclusion: { kind: 'judged', outcome, assertions: [], verdict: { ...verdict, reasons: [] } },
  })
}

test('what was observed is measured in milliseconds, and a phase that did not happen is absent', () => {
  const { type, kind, timings, observation } = observed({ status: 503 }, 12.5)
  const phasesUs = { ...timings.phasesUs, dns: 1500, connect: 0 }
  const result = judged({ type, kind, observation, timings: { ...timings, phasesUs } })
  expect(measuresOf(result)).toEqual({ total: 12.5, wait: 0.25, dns: 1.5, connect: 0 })
  expect(statusCodeOf(result)).toBe(503)
})

test.each([
  ['refused', unreachable('refused'), null],
  ['cut off behind its status', unreachable('truncated', 200), 200],
  ['timed out', timedOut(), null],
])(
  "an exchange that was %s measures nothing: neither its haste nor its deadline is the target's",
  (_, outcome, status) => {
    expect(measuresOf(judged(outcome))).toBeNull()
    expect(statusCodeOf(judged(outcome))).toBe(status)
  },
)

test('our own faults and missed runs measure nothing', () => {
  const errored = finishedResult({ conclusion: { kind: 'errored', reason: 'no-route', message: 'm' } })
  expect([measuresOf(errored), statusCodeOf(errored)]).toEqual([null, null])
  expect(measuresOf(finishedResult({ conclusion: { kind: 'missed', reason: 'late' } }))).toBeNull()
})
