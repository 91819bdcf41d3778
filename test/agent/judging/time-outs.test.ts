import { expect, test } from 'vitest'
import { TimeOuts } from '../../../src/agent/judging/time-outs.ts'

function setUp() {
  const time = { ms: 0 }
  return { time, timeOuts: new TimeOuts(() => time.ms) }
}

test('bars what ran out twice, and after five minutes at its next time', () => {
  const { time, timeOuts } = setUp()
  timeOuts.ranOut('a')
  expect(timeOuts.isBarred('a')).toBe(false)
  timeOuts.ranOut('a')
  expect([timeOuts.isBarred('a'), timeOuts.isBarred('b')]).toEqual([true, false])
  time.ms = 300_000
  expect(timeOuts.isBarred('a')).toBe(false)
  timeOuts.ranOut('a')
  expect(timeOuts.isBarred('a')).toBe(true)
})

test('begins anew with what was in time', () => {
  const { timeOuts } = setUp()
  timeOuts.ranOut('a')
  timeOuts.wasInTime('a')
  timeOuts.ranOut('a')
  expect(timeOuts.isBarred('a')).toBe(false)
})

test('remembers the ten thousand that ran out last', () => {
  const { timeOuts } = setUp()
  const keys = Array.from({ length: 10_001 }, (_, index) => `key ${index}`)
  for (const key of [...keys, ...keys.slice(0, 1)]) timeOuts.ranOut(key)
  expect(timeOuts.isBarred('key 0')).toBe(false)
  timeOuts.ranOut('key 10000')
  timeOuts.ranOut('key 1')
  expect([timeOuts.isBarred('key 10000'), timeOuts.isBarred('key 1')]).toEqual([true, false])
})
