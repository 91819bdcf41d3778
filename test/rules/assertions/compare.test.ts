import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Comparison } from '../../../src/contract/assertion.ts'
import { comparer } from '../../../src/rules/assertions/compare.ts'
import type { Value } from '../../../src/rules/assertions/json-value.ts'

const opposites = [
  ['EQUALS', 'NOT_EQUALS'],
  ['HAS_KEY', 'NOT_HAS_KEY'],
  ['HAS_VALUE', 'NOT_HAS_VALUE'],
  ['IS_EMPTY', 'NOT_EMPTY'],
  ['CONTAINS', 'NOT_CONTAINS'],
  ['IS_NULL', 'NOT_NULL'],
] as const satisfies readonly (readonly [Comparison, Comparison])[]

const absent = undefined

describe.each<[Comparison, readonly (readonly [value: Value, target: string, holds: boolean])[]]>([
  [
    'EQUALS',
    [
      [200, '200', true],
      [200, '200.0', true],
      [200, ' 2e2 ', true],
      [0, '', false],
      [16, '0x10', false],
      [0.5, '.5', true],
      [5, '5.', true],
      [5, '.', false],
      [5, '1e', false],
      [200, '201', false],
      ['200', '200', true],
      ['200', '200.0', false],
      ['12345678901234567890', '12345678901234567891', false],
      ['', '', true],
      ['A', 'a', false],
      [true, 'true', true],
      [true, 'True', false],
      [null, 'null', true],
      [null, '', false],
      [absent, '', false],
      [absent, 'undefined', false],
      [[1, 'a'], '[1, "a"]', true],
      [[1, 'a'], '["a", 1]', false],
      [[1], '[1, 2]', false],
      [[], '{}', false],
      [{ a: 1, b: [null] }, '{"b": [null], "a": 1}', true],
      [{ a: 1 }, '{"a": 1, "b": 2}', false],
      [{ a: 1 }, '{"b": 1}', false],
      [{ a: 1 }, 'not JSON', false],
      [{ a: 1 }, '[object Object]', false],
    ],
  ],
  [
    'HAS_KEY',
    [
      [{ a: null }, 'a', true],
      [{ a: 1 }, 'b', false],
      [{ a: 1 }, 'constructor', false],
      [['a'], '0', false],
      ['a', 'length', false],
      [null, 'a', false],
      [absent, 'a', false],
    ],
  ],
  [
    'HAS_VALUE',
    [
      [{ a: 1 }, '1', true],
      [{ a: { b: 1 } }, '{"b":1}', true],
      [{ a: 1 }, 'a', false],
      [[1, 'x'], 'x', true],
      [[1, 'x'], 'y', false],
      ['x', 'x', false],
      [absent, '', false],
    ],
  ],
  [
    'IS_EMPTY',
    [
      [absent, '', true],
      [null, '', true],
      ['', '', true],
      [[], '', true],
      [{}, '', true],
      [' ', '', false],
      [0, '', false],
      [false, '', false],
      [[null], '', false],
      [{ a: null }, '', false],
    ],
  ],
  [
    'GREATER_THAN',
    [
      [3, '2', true],
      [3, '3', false],
      [3, '-3.5', true],
      ['10', '9', true],
      ['9', '10', false],
      ['b', 'a', false],
      [3, 'a', false],
      [3, '', false],
      ['', '-1', false],
      [true, '0', false],
      [[3], '2', false],
      [null, '-1', false],
      [absent, '-1', false],
    ],
  ],
  [
    'LESS_THAN',
    [
      [2, '3', true],
      [3, '3', false],
      ['9', '10', true],
      [2, 'a', false],
      [null, '1', false],
      [absent, '1', false],
    ],
  ],
  [
    'CONTAINS',
    [
      ['monitoring', 'tor', true],
      ['monitoring', 'TOR', false],
      ['monitoring', '', true],
      [['a', 'b'], 'b', true],
      [['abc'], 'b', false],
      [[1, 2], '2', true],
      [[{ a: 1 }], '{"a":1}', true],
      [[], '', false],
      [{ a: 'b' }, '"a":"b"', true],
      [503, '50', true],
      [null, 'null', false],
      [absent, '', false],
    ],
  ],
  [
    'IS_NULL',
    [
      [null, '', true],
      [absent, '', true],
      ['null', '', false],
      [0, '', false],
      ['', '', false],
    ],
  ],
])('%s', (comparison, rows) => {
  test.each(rows)('of %j and %j: %s', (value, target, holds) => {
    expect(comparer(comparison, target)(value)).toBe(holds)
  })
})

test.each(opposites)('%s holds exactly where %s does not', (comparison, opposite) => {
  const anyValue = fc.oneof(fc.constant(undefined), fc.constantFrom<Value>(null, '', 0, []), anyJson())
  fc.assert(
    fc.property(anyValue, fc.string(), (value, target) => {
      expect(comparer(comparison, target)(value)).toBe(!comparer(opposite, target)(value))
    }),
  )
})

test('what was written as JSON equals itself, with its members in any order', () => {
  fc.assert(
    fc.property(anyJson(), (value) => {
      const written = typeof value === 'string' ? value : JSON.stringify(value)
      expect(comparer('EQUALS', written)(value)).toBe(true)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return
      const reversed = Object.fromEntries(Object.entries(value).toReversed())
      expect(comparer('EQUALS', JSON.stringify(reversed))(value)).toBe(true)
    }),
  )
})

function anyJson() {
  return fc.json({ maxDepth: 3 }).map((text): Value => JSON.parse(text))
}
