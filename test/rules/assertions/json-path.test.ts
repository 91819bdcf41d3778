import { expect, test } from 'vitest'
import { selectJson } from '../../../src/rules/assertions/json-path.ts'
import type { JsonValue } from '../../../src/rules/assertions/json-value.ts'

const document = {
  items: [{ price: 1, tags: ['a'] }, { price: 2, tags: [] }, { price: 3 }],
  box: { length: 5 },
  name: 'picket',
  count: 7,
}

test.each([
  ['$.name', ['picket']],
  ['$["name"]', ['picket']],
  ['$.items[*].price', [1, 2, 3]],
  ['$.items[-1].price', [3]],
  ['$.items[?@.price > 1].price', [2, 3]],
  ['$.nothing', []],
  ['$.constructor', []],
])('%s selects %j', (path, values) => {
  expect(selectJson(document, path)).toEqual({ kind: 'found', values })
})

test.each([
  ['a list', '$.items.length', [3]],
  ['a text', '$.name.length', [6]],
  ['each list it comes to', '$.items[*].tags.length', [1, 0]],
  ['nothing that is there', '$.nothing.length', []],
  ['what has none', '$.count.length', [undefined]],
  ['a member of that name', '$.box.length', [5]],
  ['members of that name at any depth', '$..length', [5]],
])('gives the length of %s', (_name, path, values) => {
  expect(selectJson(document, path)).toEqual({ kind: 'found', values })
})

test('gives the length of the whole document', () => {
  expect(selectJson([1, 2], '$.length')).toEqual({ kind: 'found', values: [2] })
  expect(selectJson([1, 2], '$..length')).toEqual({ kind: 'found', values: [] })
})

test.each([
  ['name', "expected '$', found 'n'"],
  ['$.items[', 'unclosed bracketed selection'],
  ['$..', 'bald descendant segment'],
  ['$[?@.a == @.*]', 'non-singular query is not comparable'],
  ['$[?size(@)]', "no such function 'size'"],
])('says that %j is no path, and why', (path, reason) => {
  expect(selectJson(document, path)).toEqual({
    kind: 'path-invalid',
    reason: expect.stringContaining(reason),
  })
})

test('goes down a thousand levels, and says of more that it does not', () => {
  const nested = (levels: number): JsonValue => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  expect(selectJson(nested(900), '$..a')).toEqual({ kind: 'found', values: [] })
  expect(() => selectJson(nested(1100), '$..a')).toThrow(RangeError)
})

test('takes a name with a dash as it is commonly written', () => {
  expect(selectJson({ 'content-type': 'text' }, '$.content-type')).toEqual({
    kind: 'found',
    values: ['text'],
  })
})

test('gives as many values as are asked for, up to a bound', () => {
  const list = Array.from({ length: 100_000 }, (_, index) => index)
  expect(selectJson(list, '$[*]')).toEqual({ kind: 'found', values: list })
  expect(selectJson([...list, 0], '$[*]')).toEqual({ kind: 'too-many' })
  expect(selectJson(list.concat(0).map(String), '$[*].length')).toEqual({ kind: 'too-many' })
})
