import { expect, test } from 'vitest'
import { SharedBodyMemory } from '../../src/runner/body-memory.ts'

test('all attempts together hold no more than there is, and what one frees is there for another', () => {
  const memory = new SharedBodyMemory(100)
  const one = memory.attempt()
  const other = memory.attempt()
  expect(one.take(60)).toBe(true)
  expect(other.take(41)).toBe(false)
  expect(other.take(40)).toBe(true)
  expect(memory.heldBytes).toBe(100)
  one.free()
  one.free()
  expect(memory.heldBytes).toBe(40)
  expect(other.take(60)).toBe(true)
})
