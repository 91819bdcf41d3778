import { describe, expect, test } from 'vitest'
import { type ApiAssertion, ApiReader } from '../../../src/rules/assertions/api-sources.ts'
import { evaluationOver } from '../../../src/rules/assertions/evaluate.ts'
import { apiObservation } from '../../support/api-outcomes.ts'

const headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'set-cookie': ['a=1', 'b=2'],
  vary: ['a', 'b'],
  'x-empty': '',
}
const body = JSON.stringify({
  items: [{ price: 5 }, { price: 0 }, { price: 7 }],
  name: 'picket',
  id: '200',
  nothing: null,
})
const observation = apiObservation({ status: 503, headers, body })

const assertion = (fields: Partial<ApiAssertion>): ApiAssertion => ({
  source: 'JSON_BODY',
  comparison: 'NOT_NULL',
  property: '',
  target: '',
  regex: null,
  ...fields,
})

function evaluateAll(assertions: readonly ApiAssertion[], seen: typeof observation, tookMs: number) {
  const { count, evaluate: evaluateOne } = evaluationOver(assertions, new ApiReader(seen, tookMs))
  return Array.from({ length: count }, (_, index) => evaluateOne(index))
}

function evaluate(fields: Partial<ApiAssertion>, seen = observation) {
  return evaluationOver([assertion(fields)], new ApiReader(seen, 812.4)).evaluate(0)
}

describe('a source gives', () => {
  test.each<[string, Partial<ApiAssertion>, string | null]>([
    ['the status', { source: 'STATUS_CODE' }, '503'],
    ['the response time in milliseconds', { source: 'RESPONSE_TIME' }, '812.4'],
    [
      'a header, however it is written',
      { source: 'HEADERS', property: 'content-TYPE' },
      headers['Content-Type'],
    ],
    ['a repeated header joined', { source: 'HEADERS', property: 'Vary' }, 'a, b'],
    ['an empty header', { source: 'HEADERS', property: 'x-empty' }, ''],
    ['nothing for a header that did not come', { source: 'HEADERS', property: 'x-none' }, null],
    [
      'what the regex of a header captures',
      { source: 'HEADERS', property: 'content-type', regex: '=(.+)$' },
      'utf-8',
    ],
    ['a whole match of it', { source: 'HEADERS', property: 'content-type', regex: '^[a-z]+' }, 'application'],
    ['nothing where it does not match', { source: 'HEADERS', property: 'content-type', regex: 'xml' }, null],
    ['the text of the body', { source: 'TEXT_BODY' }, body],
    ['what a regex of the body captures', { source: 'TEXT_BODY', property: '"name":"(\\w+)"' }, 'picket'],
    ['nothing where the body does not match', { source: 'TEXT_BODY', property: 'absent' }, null],
    ['the whole JSON body', { property: '' }, body],
    ['what a path selects', { property: '$.name' }, 'picket'],
    ['a null of the body', { property: '$.nothing' }, 'null'],
    ['several elements', { property: '$.items[*].price' }, '[5,0,7]'],
    ['a length', { property: '$.items.length' }, '3'],
    ['nothing for a path that selects nothing', { property: '$.absent' }, null],
  ])('%s', (_name, fields, actual) => {
    expect(evaluate(fields).actual).toBe(actual)
  })
})

describe('an assertion that does not hold says', () => {
  test.each<[Partial<ApiAssertion>, string]>([
    [
      { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
      'expected STATUS_CODE EQUALS 200, was 503',
    ],
    [
      { property: '$.items.length', comparison: 'GREATER_THAN', target: '3' },
      'expected $.items.length GREATER_THAN 3, was 3',
    ],
    [
      { property: '$.name', comparison: 'EQUALS', target: 'guard' },
      'expected $.name EQUALS guard, was "picket"',
    ],
    [{ property: '$.absent' }, 'expected $.absent NOT_NULL, found nothing'],
    [{ comparison: 'IS_EMPTY', property: '$.items[0]' }, 'expected $.items[0] IS_EMPTY, was {"price":5}'],
    [
      { source: 'HEADERS', property: 'x-empty', comparison: 'NOT_EMPTY' },
      'expected HEADERS x-empty NOT_EMPTY, was ""',
    ],
    [
      { source: 'HEADERS', property: 'vary', regex: '(c)', comparison: 'EQUALS', target: 'c' },
      'expected HEADERS vary "(c)" EQUALS c, found nothing',
    ],
    [
      { source: 'TEXT_BODY', property: '"name":"(.*?)"', comparison: 'EQUALS', target: 'guard' },
      'expected TEXT_BODY ""name":"(.*?)"" EQUALS guard, was "picket"',
    ],
    [
      { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '500' },
      'expected RESPONSE_TIME LESS_THAN 500, was 812.4',
    ],
    [
      { property: '$.items[*].price', comparison: 'GREATER_THAN', target: '0' },
      'expected $.items[*].price GREATER_THAN 0, was 0 (number 2 of 3 found)',
    ],
  ])('%o', (fields, message) => {
    expect(evaluate(fields)).toMatchObject({ holds: false, message })
  })
})

describe('what cannot be read does not hold, and says why', () => {
  const binary = apiObservation({ body: null, bodyBytes: 10 })
  const cut = apiObservation({ body: '{"a":', truncated: true })

  test.each<[string, Partial<ApiAssertion>, typeof observation, string]>([
    [
      'a bad regular expression on the body',
      { source: 'TEXT_BODY', property: '(' },
      observation,
      'expected TEXT_BODY "(" NOT_NULL, but its regular expression is not valid: Invalid regular expression: /(/: Unterminated group',
    ],
    [
      'a bad regular expression on a header',
      { source: 'HEADERS', property: 'x-empty', regex: '[' },
      observation,
      'but its regular expression is not valid: Invalid regular expression: /[/: Unterminated character class',
    ],
    ['a header without a name', { source: 'HEADERS' }, observation, 'but no header is named in "property"'],
    [
      'a bad path',
      { property: '$.items[' },
      observation,
      'expected $.items[ NOT_NULL, but its JSONPath is not valid: unclosed bracketed selection',
    ],
    [
      'a path that selects too much',
      { property: '$..*' },
      apiObservation({ body: `[${'0,'.repeat(100_000)}0]` }),
      'expected $..* NOT_NULL, but its JSONPath selects more than 100000 values',
    ],
    [
      'a body that is not JSON',
      {},
      apiObservation({ body: '<p>' }),
      'expected $ NOT_NULL, but the response body is not JSON',
    ],
    ['an empty body', {}, apiObservation(), 'but the response body is not JSON'],
    ['a cut-off body', {}, cut, 'but the response body is not JSON, because it is cut off at the size limit'],
    ['a binary body asked for as JSON', {}, binary, 'but the response body is binary'],
    ['a binary body asked for as text', { source: 'TEXT_BODY' }, binary, 'but the response body is binary'],
  ])('%s', (_name, fields, seen, message) => {
    for (const comparison of ['NOT_NULL', 'IS_NULL'] as const) {
      const result = evaluate({ ...fields, comparison }, seen)
      expect(result).toMatchObject({ holds: false, actual: null })
      expect(result.message).toContain(message.replace('NOT_NULL', comparison))
    }
  })

  test('a body nested too deeply for any stack', () => {
    const deep = '['.repeat(32_000) + ']'.repeat(32_000)
    expect(evaluate({ comparison: 'EQUALS', target: deep }, apiObservation({ body: deep }))).toMatchObject({
      holds: false,
      message: expect.stringContaining(', but what was found is nested too deeply to compare'),
    })
    expect(evaluate({ comparison: 'NOT_NULL' }, apiObservation({ body: deep })).holds).toBe(true)
  })
})

describe('a body that would take too much memory as JSON is not read', () => {
  const size = 25_000_000
  const repeated = (part: string) => `[${part.repeat(size / part.length)}0]`
  const numbered = (part: (index: number) => string, length: number) =>
    `[${Array.from({ length }, (_, i) => part(i))}]`

  test.each<[string, string]>([
    ['objects', repeated('{},')],
    ['lists', repeated('[],')],
    ['lists in lists', '['.repeat(size / 2) + ']'.repeat(size / 2)],
    ['members named by numbers', repeated('{"30":1},')],
    ['members of many names', numbered((index) => `{"k${index.toString(36)}":1}`, size / 12)],
  ])('%s', (_name, body) => {
    const { holds, message } = evaluate({ property: '$[0]' }, apiObservation({ body }))
    expect(holds).toBe(false)
    expect(message).toBe(
      'expected $[0] NOT_NULL, but the response body holds too many values: as JSON it would take over 384 MB of memory',
    )
  })

  test.each<[string, string]>([
    ['but numbers', repeated('1,')],
    ['but one long text', `["${'{},[:\\"'.repeat(size / 8)}"]`],
    [
      'but records',
      numbered((id) => `{"id":${id},"name":"item ${id}","price":0.5,"tags":["a","b"],"ok":true}`, 350_000),
    ],
  ])('%s are', (_name, body) => {
    expect(evaluate({ property: '$[0]' }, apiObservation({ body }))).toMatchObject({ holds: true })
  })
})

describe('several elements', () => {
  test('must all satisfy the comparison', () => {
    const prices = { property: '$.items[*].price', comparison: 'LESS_THAN' as const }
    expect(evaluate({ ...prices, target: '8' })).toMatchObject({ holds: true, message: null })
    expect(evaluate({ ...prices, target: '7' }).holds).toBe(false)
  })

  test('that are none count as nothing', () => {
    const none = { property: '$.items[?@.price > 100]' }
    expect(evaluate({ ...none, comparison: 'IS_NULL' }).holds).toBe(true)
    expect(evaluate({ ...none, comparison: 'IS_EMPTY' }).holds).toBe(true)
    expect(evaluate({ ...none, comparison: 'NOT_NULL' }).holds).toBe(false)
    expect(evaluate({ ...none, comparison: 'EQUALS', target: '5' }).holds).toBe(false)
  })
})

test('all assertions are evaluated, in their order, with what they asked for', () => {
  const asked = [
    assertion({ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }),
    assertion({ property: '$[' }),
    assertion({
      source: 'HEADERS',
      comparison: 'CONTAINS',
      property: 'content-type',
      target: 'json',
      regex: '.*',
    }),
  ]
  const results = evaluateAll(asked, observation, 1)
  expect(results.map(({ holds }) => holds)).toEqual([false, false, true])
  expect(results).toMatchObject(asked)
})

test('the body is parsed once for all assertions, and not at all without one that needs it', () => {
  let reads = 0
  const counted = apiObservation()
  Object.defineProperty(counted.response, 'body', {
    get: () => {
      reads += 1
      return '{"a":1}'
    },
  })
  evaluateAll([assertion({ source: 'STATUS_CODE' })], counted, 1)
  expect(reads).toBe(0)
  evaluateAll([assertion({}), assertion({ property: '$.a' }), assertion({})], counted, 1)
  expect(reads).toBe(1)
})

test('no result carries more than 200 characters of a body or a target, cut between characters', () => {
  const long = apiObservation({ body: `${'a'.repeat(198)}😀${'b'.repeat(100_000)}` })
  const { actual, message } = evaluate(
    { source: 'TEXT_BODY', comparison: 'EQUALS', target: 'c'.repeat(50_000) },
    long,
  )
  expect(actual).toHaveLength(200)
  expect(actual?.isWellFormed()).toBe(true)
  expect(message?.length).toBeLessThan(450)
})

test('a value is shown as JSON as far as it is shown at all', () => {
  const body = JSON.stringify({ list: Array(100_000).fill({ a: [null, 'x'] }), text: '"'.repeat(300) })
  const seen = apiObservation({ body })
  const list = evaluate({ property: '$.list', comparison: 'IS_EMPTY' }, seen)
  expect(list.actual).toBe(`[${'{"a":[null,"x"]},'.repeat(20)}`.slice(0, 199).concat('…'))
  const quotes = evaluate({ property: '$.text', comparison: 'EQUALS' }, seen)
  expect(quotes.message).toBe(`expected $.text EQUALS , was "${'\\"'.repeat(99)}…`)
})

test.each(['Set-Cookie', 'x-session-token'])('what %s holds is compared and never told', (property) => {
  const seen = apiObservation({ headers: { 'set-cookie': 'id=hunter2', 'x-session-token': 'id=hunter2' } })
  const fields = { source: 'HEADERS', property, comparison: 'CONTAINS' } as const
  expect(evaluate({ ...fields, target: 'hunter' }, seen)).toMatchObject({ actual: '<redacted>', holds: true })
  const failed = evaluate({ ...fields, target: 'other' }, seen)
  expect(failed).toMatchObject({
    holds: false,
    message: `expected HEADERS ${property} CONTAINS other, was <redacted>`,
  })
  expect(JSON.stringify(failed)).not.toContain('hunter2')
})
