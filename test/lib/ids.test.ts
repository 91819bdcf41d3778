import { expect, test } from 'vitest'
import { hashId, hashKey, maskKey, newKey } from '../../src/lib/ids.ts'

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
