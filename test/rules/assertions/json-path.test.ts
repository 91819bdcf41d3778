import { expect, test } from 'vitest'
import { selectJson } from '../../../src/rules/assertions/json-path.ts'

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

const bottomless = `$[?${'('.repeat(2000)}@${')'.repeat(2000)}]`

test.each(['', 'name', '$.items[', '$.a-b', '$..', bottomless])('says that %j is no path', (path) => {
  expect(selectJson(document, path)).toEqual({ kind: 'path-invalid', reason: expect.any(String) })
})
