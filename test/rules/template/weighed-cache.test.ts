import { expect, test, vi } from 'vitest'
import { weighedCache } from '../../../src/rules/template/weighed-cache.ts'

const make = () => vi.fn<(key: string) => string>((key) => key.toUpperCase())

test('makes a value once', () => {
  const upper = make()
  const cached = weighedCache({ make: upper, weigh: () => 1, maxWeight: 10 })
  expect([cached('a'), cached('a'), cached('b')]).toEqual(['A', 'A', 'B'])
  expect(upper).toHaveBeenCalledTimes(2)
})

test('forgets what was asked for longest ago when all of it weighs too much', () => {
  const upper = make()
  const cached = weighedCache({ make: upper, weigh: (key) => key.length, maxWeight: 6 })
  for (const key of ['aa', 'bb', 'cc', 'aa', 'dd']) cached(key)
  upper.mockClear()
  for (const key of ['aa', 'cc', 'dd']) cached(key)
  expect(upper).not.toHaveBeenCalled()
  cached('bb')
  expect(upper).toHaveBeenCalledTimes(1)
})

test('gives a value that is heavier than all it may hold, and does not keep it', () => {
  const upper = make()
  const cached = weighedCache({ make: upper, weigh: (key) => key.length, maxWeight: 2 })
  expect([cached('abc'), cached('abc')]).toEqual(['ABC', 'ABC'])
  expect(upper).toHaveBeenCalledTimes(2)
})
