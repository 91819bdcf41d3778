import { expect, test } from 'vitest'
import { isIll } from '../../src/rules/location-health.ts'

test.each([
  [4, 4, false, false, 'too few runs say nothing'],
  [4, 0, true, true, 'nor that it is well again'],
  [10, 5, false, false, 'half of them is not most'],
  [10, 6, false, true, 'most of them are errored'],
  [12, 3, true, true, 'a quarter is still ill'],
  [12, 2, true, false, 'less than a quarter is well'],
])('of %i runs %i errored, ill before %s: %s (%s)', (ended, errored, wasIll, ill) => {
  expect(isIll({ ended, errored }, wasIll)).toBe(ill)
})
