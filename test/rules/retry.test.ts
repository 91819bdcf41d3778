import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RetryStrategy } from '../../src/contract/retry-strategy.ts'
import { type FinishedAttempt, retryDelayMs } from '../../src/rules/retry.ts'
import { observed, timedOut, unreachable } from '../support/api-outcomes.ts'

const strategyOf = (fields: Partial<RetryStrategy> & Pick<RetryStrategy, 'type'>): RetryStrategy => ({
  baseBackoffSeconds: 60,
  sameRegion: true,
  maxRetries: 2,
  maxDurationSeconds: 600,
  ...fields,
})

const fixed = strategyOf({ type: 'FIXED', baseBackoffSeconds: 5 })

const finished = (fields: Partial<FinishedAttempt>): FinishedAttempt => ({
  strategy: fixed,
  doubleCheck: false,
  attempt: 1,
  failing: true,
  outcome: unreachable(),
  firstStartedAt: 1000,
  stoppedAt: 1000,
  ...fields,
})

/** The delays of attempts that take no time, until there is no further one. */
function delays(strategy: RetryStrategy | null, doubleCheck = false, tookMs = 0): number[] {
  const found: number[] = []
  let stoppedAt = 1000 + tookMs
  for (let attempt = 1; attempt < 100; attempt += 1) {
    const delayMs = retryDelayMs(finished({ strategy, doubleCheck, attempt, stoppedAt }))
    if (delayMs === null) break
    found.push(delayMs)
    stoppedAt += delayMs + tookMs
  }
  return found
}

describe('a retry strategy', () => {
  test.each<[RetryStrategy['type'], number, number[]]>([
    ['FIXED', 5, [5000, 5000, 5000]],
    ['LINEAR', 5, [5000, 10_000, 15_000]],
    ['EXPONENTIAL', 5, [5000, 25_000, 125_000]],
    ['SINGLE_RETRY', 5, [5000]],
    ['FIXED', 0, [0, 0, 0]],
    ['FIXED', 0.5, [500, 500, 500]],
  ])('%s of %s s waits %s ms', (type, baseBackoffSeconds, expected) => {
    expect(delays(strategyOf({ type, baseBackoffSeconds, maxRetries: 3 }))).toEqual(expected)
  })

  test('makes no more retries than maxRetries, of a fraction the whole ones', () => {
    expect(delays(strategyOf({ type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 10 }))).toHaveLength(10)
    expect(delays(strategyOf({ type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 1.5 }))).toHaveLength(1)
  })

  test('ends at maxDurationSeconds, the time of the runs included', () => {
    const strategy = strategyOf({
      type: 'FIXED',
      baseBackoffSeconds: 10,
      maxRetries: 10,
      maxDurationSeconds: 30,
    })
    expect(delays(strategy)).toHaveLength(3)
    expect(delays(strategy, false, 1)).toHaveLength(2)
    expect(delays(strategy, false, 20_001)).toHaveLength(0)
  })

  test('never plans an attempt past maxDurationSeconds', () => {
    const anyStrategy = fc.record({
      type: fc.constantFrom('FIXED', 'LINEAR', 'EXPONENTIAL', 'SINGLE_RETRY'),
      baseBackoffSeconds: fc.integer({ min: 0, max: 600 }),
      sameRegion: fc.boolean(),
      maxRetries: fc.integer({ min: 1, max: 10 }),
      maxDurationSeconds: fc.integer({ min: 0, max: 600 }),
    })
    fc.assert(
      fc.property(anyStrategy, fc.integer({ min: 0, max: 30_000 }), (strategy, tookMs) => {
        const waits = delays(strategy, false, tookMs)
        const lastStartsAfterMs = waits.reduce((sum, wait) => sum + wait + tookMs, 0)
        expect(waits.length).toBeLessThanOrEqual(strategy.maxRetries)
        expect(lastStartsAfterMs).toBeLessThanOrEqual(strategy.maxDurationSeconds * 1000)
      }),
    )
  })
})

describe('doubleCheck', () => {
  test('without a strategy is one retry at once', () => {
    expect(delays(null, true)).toEqual([0])
  })

  test('adds nothing to a strategy', () => {
    expect(delays(fixed, true)).toEqual([5000, 5000])
  })

  test('off and without a strategy, the first attempt is the last', () => {
    expect(delays(null, false)).toEqual([])
  })
})

test('an attempt that does not fail is never retried', () => {
  expect(retryDelayMs(finished({ failing: false, outcome: observed({}) }))).toBeNull()
  expect(retryDelayMs(finished({ failing: false, strategy: null, doubleCheck: true }))).toBeNull()
})

describe.each([
  ['a text', 'NETWORK_ERROR' as const],
  ['a list', ['NETWORK_ERROR' as const]],
])('onlyOn NETWORK_ERROR, sent as %s,', (_, onlyOn) => {
  const strategy = { ...fixed, onlyOn }

  test.each([
    ['a refused connection', unreachable('refused')],
    ['a silent target', timedOut()],
  ])('retries %s', (_name, outcome) => {
    expect(retryDelayMs(finished({ strategy, outcome }))).toBe(5000)
  })

  test.each([
    ['a response', observed({ status: 503 })],
    ['a response that was cut off', unreachable('truncated', 200)],
    ['a response that never ended', timedOut(200)],
  ])('does not retry %s', (_name, outcome) => {
    expect(retryDelayMs(finished({ strategy, outcome }))).toBeNull()
    expect(retryDelayMs(finished({ outcome }))).toBe(5000)
  })
})

test('an empty onlyOn limits nothing', () => {
  const outcome = observed({ status: 503 })
  expect(retryDelayMs(finished({ strategy: { ...fixed, onlyOn: [] }, outcome }))).toBe(5000)
})
