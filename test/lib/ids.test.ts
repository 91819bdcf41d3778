import { expect, test } from 'vitest'
import { hashId, hashKey, idBeside, maskKey, newKey, orderedId } from '../../src/lib/ids.ts'

test('the same parts give the same id, other parts another', () => {
  expect(hashId('a', 1)).toBe(hashId('a', 1))
  expect(hashId('a', 1)).not.toBe(hashId('a', '1'))
  expect(hashId('ab', 'c')).not.toBe(hashId('a', 'bc'))
  expect(hashId('a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('a key shows its prefix, and masked only its tail', () => {
  const key = newKey('pl_')
  expect(key).toMatch(/^pl_[\w-]{32}$/)
  expect(maskKey(key)).toBe(`****${key.slice(-4)}`)
  expect(hashKey(key)).not.toContain(key)
})

test('ids of a time are in its order, the same for the same parts, and UUIDs', () => {
  const ids = [1, 1_772_366_400_000, 1_772_366_400_001].map((at) => orderedId(at, 'a', 1))
  expect(ids.toSorted()).toEqual(ids)
  expect(orderedId(5, 'a')).toBe(orderedId(5, 'a'))
  expect(orderedId(5, 'a')).not.toBe(orderedId(5, 'b'))
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  for (const id of ids) expect(id).toMatch(uuid)
})

test('an id beside another is of its time, and of its own', () => {
  const id = orderedId(1_772_366_400_000, 'a')
  const beside = [1, 2].map((n) => idBeside(id, n))
  for (const one of beside) expect(one.slice(0, 13)).toBe(id.slice(0, 13))
  expect(new Set([id, ...beside]).size).toBe(3)
})
