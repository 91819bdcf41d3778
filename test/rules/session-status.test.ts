import { describe, expect, test } from 'vitest'
import {
  checkSessionStatus,
  isComplete,
  type SessionRun,
  testSessionStatus,
} from '../../src/rules/session-status.ts'

const open = (state: 'held' | 'pending' | 'leased'): SessionRun => ({ state, outcome: null, reason: null })
const done = (outcome: NonNullable<SessionRun['outcome']>, reason: string | null = null): SessionRun => ({
  state: 'done',
  outcome,
  reason,
})
const cancelled = done('missed', 'cancelled')

describe('the status of a session', () => {
  test.each<[runs: SessionRun[], ofChecks: string, ofTests: string]>([
    [[open('pending')], 'STARTED', 'RUNNING'],
    [[open('held'), open('pending')], 'STARTED', 'RUNNING'],
    [[open('leased'), open('pending')], 'PROGRESS', 'RUNNING'],
    [[done('passed'), open('held')], 'PROGRESS', 'RUNNING'],
    [[done('degraded'), open('pending')], 'PROGRESS_DEGRADED', 'RUNNING'],
    [[done('failed'), done('degraded'), open('leased')], 'PROGRESS_FAILED', 'RUNNING'],
    [[done('passed'), done('passed')], 'PASSED', 'PASSED'],
    [[done('passed'), done('degraded')], 'DEGRADED', 'PASSED'],
    [[done('degraded'), done('failed')], 'FAILED', 'FAILED'],
    [[done('failed'), done('errored')], 'FAILED', 'FAILED'],
    [[done('passed'), done('errored')], 'TIMED_OUT', 'FAILED'],
    [[done('degraded'), done('missed', 'location-unavailable')], 'TIMED_OUT', 'FAILED'],
    [[done('passed'), cancelled], 'CANCELLED', 'CANCELLED'],
    [[done('failed'), cancelled], 'FAILED', 'FAILED'],
    [[cancelled, done('missed', 'late')], 'CANCELLED', 'CANCELLED'],
    [[], 'CANCELLED', 'CANCELLED'],
  ])('of %j is %s, of a test %s', (runs, ofChecks, ofTests) => {
    expect([checkSessionStatus(runs, false), testSessionStatus(runs, false)]).toEqual([ofChecks, ofTests])
  })

  test('once it was called off stays so, also when a result still comes', () => {
    expect(checkSessionStatus([done('failed'), done('passed')], true)).toBe('CANCELLED')
    expect(testSessionStatus([done('passed')], true)).toBe('CANCELLED')
  })

  test('is final when no run is open', () => {
    expect(isComplete([done('passed'), cancelled])).toBe(true)
    expect(isComplete([done('passed'), open('held')])).toBe(false)
  })
})
