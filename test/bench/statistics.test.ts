import { describe, expect, it } from 'vitest'
import { median, percentile, slopeOf } from '../../bench/support/statistics.ts'

describe('percentile', () => {
  it.each([
    [50, 3],
    [95, 5],
    [100, 5],
    [1, 1],
  ])('of %s is the value that so many do not pass', (percent, expected) => {
    expect(percentile([5, 1, 4, 2, 3], percent)).toBe(expected)
  })

  it('has no value of no values', () => {
    expect(median([])).toBeNaN()
  })
})

describe('slopeOf', () => {
  const line = [0, 1, 2, 3, 4, 5, 6].map((x) => ({ x, y: 10 + 2 * x }))

  it('finds the slope of a line', () => {
    expect(slopeOf(line)).toBe(2)
  })

  it('is not moved by an outlier', () => {
    expect(slopeOf([...line.slice(0, 6), { x: 6, y: 1000 }])).toBe(2)
  })
})
