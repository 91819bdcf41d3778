import { expect, test } from 'vitest'
import { backoffMs } from '../../src/lib/backoff.ts'

test.each([
  [1, 0, 50],
  [1, 1, 100],
  [3, 1, 400],
  [50, 1, 5000],
])('try %i with chance %d waits %d ms', (attempt, chance, expected) => {
  expect(backoffMs(attempt, 100, 5000, () => chance)).toBe(expected)
})
