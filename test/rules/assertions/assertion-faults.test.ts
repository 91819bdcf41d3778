import { describe, expect, test } from 'vitest'
import type { ApiAssertion } from '../../../src/rules/assertions/api-sources.ts'
import { assertionFaults } from '../../../src/rules/assertions/assertion-faults.ts'

const assertion = (given: Partial<ApiAssertion>): ApiAssertion => ({
  source: 'STATUS_CODE',
  comparison: 'EQUALS',
  property: '',
  target: '',
  regex: null,
  ...given,
})

const sound = assertion({ source: 'JSON_BODY', property: '$.items[?@.price < 10].name' })

describe('faults of assertions', () => {
  test.each<[string, Partial<ApiAssertion>, string, string]>([
    [
      'a header',
      { source: 'HEADERS', property: 'etag', regex: '(' },
      'regex',
      'regular expression: Unterminated group',
    ],
    [
      'a text body',
      { source: 'TEXT_BODY', property: '[a' },
      'property',
      'regular expression: Unterminated character class',
    ],
    ['a JSON body', { source: 'JSON_BODY', property: '$.items[' }, 'property', 'JSONPath: '],
    ['a JSON body without $', { source: 'JSON_BODY', property: 'items' }, 'property', 'JSONPath: '],
  ])('name the place in %s, and what is wrong there', (_what, given, field, said) => {
    const path = `request.assertions[1].${field}`
    expect(assertionFaults([sound, assertion(given)])).toEqual([
      { path, text: expect.stringContaining(`"${path}" is not a valid ${said}`) },
    ])
  })

  test('are all named at once', () => {
    const faults = assertionFaults([
      assertion({ source: 'TEXT_BODY', property: '(' }),
      assertion({ source: 'JSON_BODY', property: '$[' }),
    ])
    expect(faults.map(({ path }) => path)).toEqual([
      'request.assertions[0].property',
      'request.assertions[1].property',
    ])
  })

  test.each<Partial<ApiAssertion>>([
    { source: 'JSON_BODY', property: '' },
    { source: 'JSON_BODY', property: ' $.list.length ' },
    { source: 'JSON_BODY', property: '$..book[?match(@.isbn, "[0-9]+")]' },
    { source: 'TEXT_BODY', property: 'id=(\\d+)' },
    { source: 'TEXT_BODY', property: '' },
    { source: 'HEADERS', property: 'etag', regex: null },
    { source: 'STATUS_CODE', property: '(', regex: '(' },
    { source: 'RESPONSE_TIME', property: '(', regex: '(' },
  ])('are not found in %j', (given) => {
    expect(assertionFaults([assertion(given)])).toEqual([])
  })

  test('stay short, however long the expression is', () => {
    const [fault] = assertionFaults([assertion({ source: 'TEXT_BODY', property: `(${'a'.repeat(4000)}` })])
    expect(fault?.text).toMatch(/^.{1,100}: Unterminated group$/)
  })
})
