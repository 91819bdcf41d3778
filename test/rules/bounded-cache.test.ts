import { expect, test } from 'vitest'
import { boundedCache } from '../../src/rules/bounded-cache.ts'

function counting(maxEntries: number) {
  const made: string[] = []
  const get = boundedCache(maxEntries, (key) => {
    made.push(key)
    return key === 'nothing' ? undefined : key.toUpperCase()
  })
  return { made, get }
}

test('makes each value once', () => {
  const { made, get } = counting(2)
  expect([get('a'), get('a'), get('nothing'), get('nothing')]).toEqual(['A', 'A', undefined, undefined])
  expect(made).toEqual(['a', 'nothing'])
})

test('holds no more than it may, and forgets first what was asked for least recently', () => {
  const { made, get } = counting(2)
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) get(key)
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})
