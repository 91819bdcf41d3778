import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { selectJson } from '../../../src/rules/assertions/json-path.ts'
import type { JsonValue } from '../../../src/rules/assertions/json-value.ts'

/** A case of the JSONPath Compliance Test Suite, which the package jsonpath-rfc9535 brings along. */
interface Case {
  readonly name: string
  readonly selector: string
  readonly document?: JsonValue
  /** Where the order is not given: any of `results`. */
  readonly result?: readonly JsonValue[]
  readonly results?: readonly (readonly JsonValue[])[]
  readonly invalid_selector?: boolean
}

const suite = new URL(
  '../../../node_modules/jsonpath-rfc9535/src/__tests__/jsonpath-compliance-test-suite/cts.json',
  import.meta.url,
)
const { tests }: { readonly tests: readonly Case[] } = JSON.parse(readFileSync(suite, 'utf8'))

test('the suite is there', () => {
  expect(tests.length).toBeGreaterThan(600)
})

test.each(tests)('$name', ({ selector, document = null, result, results, invalid_selector }) => {
  const selected = selectJson(document, selector)
  if (invalid_selector) expect(selected.kind).toBe('path-invalid')
  else expect((results ?? [result]).map((values) => ({ kind: 'found', values }))).toContainEqual(selected)
})

test.each([
  [
    '$[?@.a == 1 && @.b == 1 && @.c == 1]',
    [
      { a: 1, b: 1, c: 0 },
      { a: 1, b: 1, c: 1 },
    ],
    [{ a: 1, b: 1, c: 1 }],
  ],
  [
    '$[?@[0] == 1]',
    [
      [1, 2],
      [2, 1],
    ],
    [[1, 2]],
  ],
  ["$[?match(@, 'a|b')]", ['a', 'b', 'ab', 'ba'], ['a', 'b']],
  ['$[:-6:-1]', [0, 1, 2], [2, 1, 0]],
] satisfies [string, JsonValue, JsonValue[]][])(
  '%s, of which the suite has no case',
  (path, document, values) => {
    expect(selectJson(document, path)).toEqual({ kind: 'found', values })
  },
)
