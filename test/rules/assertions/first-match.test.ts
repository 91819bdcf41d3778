import { expect, test } from 'vitest'
import { firstMatch } from '../../../src/rules/assertions/first-match.ts'

test.each([
  ['(\\d+)', 'a 12 b 34', '12'],
  ['id=(\\d+);(x)', 'id=7;x', '7'],
  ['\\d+', 'a 12 b 34', '12'],
  ['(?:a)b', 'ab', 'ab'],
  ['()b', 'ab', ''],
  ['(x)?b', 'ab', null],
  ['c', 'ab', null],
])('%s finds in %j: %j', (pattern, text, found) => {
  expect(firstMatch(pattern, text)).toEqual({ kind: 'searched', text: found })
})

test('gives the same answer each time it is asked', () => {
  expect(firstMatch('a(.)', 'ab')).toEqual(firstMatch('a(.)', 'ab'))
  expect(firstMatch('a(.)', 'ac')).toEqual({ kind: 'searched', text: 'c' })
})

test('says what is wrong with a pattern', () => {
  for (const _again of [1, 2]) {
    expect(firstMatch('(', 'a')).toEqual({
      kind: 'unsearchable',
      reason: 'its regular expression is not valid: Invalid regular expression: /(/: Unterminated group',
    })
  }
})

test('says so where a pattern needs more room to go back than there is', () => {
  expect(firstMatch('^(?:a|b)*$', 'a'.repeat(20_000_000))).toEqual({
    kind: 'unsearchable',
    reason: 'its regular expression needs too much memory for this text',
  })
})
