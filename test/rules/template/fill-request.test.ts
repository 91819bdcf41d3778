import { describe, expect, test } from 'vitest'
import type { ApiRequest } from '../../../src/contract/checks/api/request.ts'
import { fillRequest } from '../../../src/rules/template/fill-request.ts'
import type { TemplateSources } from '../../../src/rules/template/helpers.ts'
import { apiRequest, entry } from '../../support/api-definition.ts'

const values = {
  HOST: 'a.example',
  TOKEN: 'a&b<c>"d\'e`f=g',
  EMPTY: '',
  LIST: 'x,y,z',
  FIVE: '5',
  TEMPLATE: '{{HOST}}',
  'my-key': 'dashed',
  'my key': 'spaced',
  hash: 'a name that the engine uses',
}
const variables = Object.entries(values).map(([key, value]) => ({ key, value, locked: false, secret: false }))

const counting = (): TemplateSources => {
  let uuids = 0
  return {
    now: () => new Date(2026, 2, 31, 12, 34, 56).getTime(),
    uuid: () => {
      uuids += 1
      return `uuid-${uuids}`
    },
    random: () => 0.5,
  }
}

const fill = (request: ApiRequest, sources = counting()) => fillRequest(request, variables, sources)

/** What becomes of the template in a body. */
function fillText(body: string) {
  const filled = fill(apiRequest('http://a', { body }))
  return filled.kind === 'filled' ? filled.request.body : filled
}

describe('a request', () => {
  test('is filled in wherever it may hold a template, and nowhere else', () => {
    const request = apiRequest('https://{{HOST}}/{{FIVE}}', {
      body: '{"five":{{FIVE}}}',
      headers: [entry('X-{{HOST}}', 'for {{HOST}}'), entry('accept', '*/*')],
      queryParameters: [entry('{{HOST}}', '{{FIVE}}')],
      basicAuth: { username: '{{my-key}}', password: '{{{TOKEN}}}' },
      assertions: [
        { source: 'TEXT_BODY', comparison: 'CONTAINS', property: '', target: '{{HOST}}', regex: null },
      ],
    })
    expect(fill(request)).toEqual({
      kind: 'filled',
      request: {
        ...request,
        url: 'https://a.example/5',
        body: '{"five":5}',
        headers: [entry('X-{{HOST}}', 'for a.example'), entry('accept', '*/*')],
        queryParameters: [entry('{{HOST}}', '5')],
        basicAuth: { username: 'dashed', password: values.TOKEN },
      },
    })
  })

  test('without a template is given back as it is', () => {
    const request = apiRequest('https://a/{x}', { body: '{"a":{"b":1}}', basicAuth: null })
    const filled = fill(request)
    expect(filled.kind === 'filled' && filled.request).toBe(request)
  })

  test.each<[string, Partial<ApiRequest>]>([
    ['request.body', { body: '{{' }],
    ['request.headers[1].value', { headers: [entry('a', 'b'), entry('c', '{{')] }],
    ['request.queryParameters[0].value', { queryParameters: [entry('a', '{{')] }],
    ['request.basicAuth.username', { basicAuth: { username: '{{', password: '' } }],
    ['request.basicAuth.password', { basicAuth: { username: '', password: '{{' } }],
  ])('is refused with the name of the field that is no template: %s', (field, request) => {
    expect(fill(apiRequest('http://a', request))).toEqual({
      kind: 'template-invalid',
      reason: `"${field}" is not a valid template: there is a tag without end in line 1`,
    })
  })
})

test.each([
  ['{{TOKEN}}', 'a&amp;b&lt;c&gt;&quot;d&#x27;e&#x60;f&#x3D;g'],
  ['{{{TOKEN}}}', values.TOKEN],
  ['{{&TOKEN}}', values.TOKEN],
  ['{{ HOST }}', 'a.example'],
  ['{{my-key}} {{[my key]}} {{"my key"}}', 'dashed spaced spaced'],
  ['[{{EMPTY}}]', '[]'],
  ['{{TEMPLATE}} {{{TEMPLATE}}}', '{{HOST}} {{HOST}}'],
  ['\\{{HOST}} \\\\{{HOST}}', '{{HOST}} \\a.example'],
  ['{{! a }}{{!-- b }} --}}c', 'c'],
  ['{{#if EMPTY}}1{{else if FIVE}}2{{else}}3{{/if}}', '2'],
  ['{{^if EMPTY}}none{{/if}}', 'none'],
  ['{{#unless EMPTY}}none{{/unless}}', 'none'],
  ['{{#eq FIVE "5"}}y{{else}}n{{/eq}} {{eq FIVE "6"}}', 'y false'],
  ['{{#compare FIVE ">" 4}}y{{/compare}}', 'y'],
  ['{{split LIST "," 1}}', 'y'],
  ['{{#each (split LIST "," -1)}}{{@index}}{{this}}{{#unless @last}}-{{/unless}}{{/each}}', '0x-1y-2z'],
  ['{{#each (split LIST "," -1)}}{{../FIVE}}{{/each}}', '555'],
  ['{{#with HOST}}{{this}}{{/with}}', 'a.example'],
  ['{{replace HOST "a." "b."}} {{startsWith HOST "a"}}', 'b.example true'],
  ['{{lookup this "HOST"}} {{@root.HOST}} {{HOST.length}}', 'a.example a.example 9'],
  ['{{#has "HOST"}}y{{/has}}{{#has "NOWHERE"}}{{else}}n{{/has}}', 'yn'],
  ['{{$UUID}} {{$UUID}} {{$RANDOM_NUMBER}}', 'uuid-1 uuid-2 5000'],
  ['{{year}} {{year 2}} {{date}}', '2026 26 March 31, 2026'],
  ['{{date "YYYY-MM-DD"}}T{{moment "HH:mm:ss"}}', '2026-03-31T12:34:56'],
  ['{{date "2020-06-15" "DD.MM.YY"}}', '15.06.20'],
  ['a\n{{#if HOST}}\n  b\n{{/if}}\nc', 'a\n  b\nc'],
  ['a {{~HOST~}} b', 'aa.exampleb'],
])('%j is filled in as %j', (template, text) => {
  expect(fillText(template)).toBe(text)
})

test.each([
  ['now', '2026-03-31 12:34:56'],
  [' Today ', '2026-03-31 00:00:00'],
  ['yesterday', '2026-03-30 00:00:00'],
  ['tomorrow', '2026-04-01 00:00:00'],
  ['a second ago', '2026-03-31 12:34:55'],
  ['90 minutes ago', '2026-03-31 11:04:56'],
  ['in an hour', '2026-03-31 13:34:56'],
  ['two days from now', '2026-04-02 12:34:56'],
  ['3 weeks', '2026-04-21 12:34:56'],
  ['1 month ago', '2026-02-28 12:34:56'],
  ['last month', '2026-02-28 12:34:56'],
  ['next year', '2027-03-31 12:34:56'],
  ['twelve years ago', '2014-03-31 12:34:56'],
])('the date of "%s" is by the calendar and by the given clock', (phrase, date) => {
  expect(fillText(`{{date "${phrase}" "YYYY-MM-DD HH:mm:ss"}}`)).toBe(date)
})

describe('a variable that is not defined', () => {
  test.each([
    ['{{NOWHERE}}', 'NOWHERE'],
    ['{{{NOWHERE}}}', 'NOWHERE'],
    ['{{HOST.port}}', 'HOST.port'],
    ['{{split NOWHERE "," 0}}', 'NOWHERE'],
    ['{{#if NOWHERE}}1{{/if}}', 'NOWHERE'],
    ['{{#eq HOST compare=NOWHERE}}1{{/eq}}', 'NOWHERE'],
    ['{{#if HOST}}{{NOWHERE}}{{/if}}', 'NOWHERE'],
    ['{{#each (split LIST "," -1)}}{{HOST}}{{/each}}', 'HOST'],
    ['{{lookup this "NOWHERE"}}', 'NOWHERE'],
    ['{{@index}}', '@index'],
  ])('is named: %s', (template, name) => {
    expect(fillText(template)).toEqual({ kind: 'variable-missing', name })
  })

  test('is not missed where it is not needed', () => {
    expect(fillText('{{#if EMPTY}}{{NOWHERE}}{{else}}fine{{/if}}')).toBe('fine')
  })

  test.each([
    'constructor',
    '__proto__',
    'this.constructor',
    'HOST.constructor',
    'HOST.__proto__',
    'toString',
    'lookup this "constructor"',
    'lookup this "__proto__"',
    '@root.constructor',
    '@root.__proto__.polluted',
  ])('is what stands behind every object: {{%s}}', (expression) => {
    expect(fillText(`{{${expression}}}`)).toMatchObject({ kind: 'variable-missing' })
  })

  test.each([
    ['{{split LIST "," "constructor"}}', ''],
    ['{{lookup (split LIST "," -1) "constructor"}}', ''],
    ['{{lookup HOST "constructor"}}', ''],
    ['{{#with (lookup HOST "constructor")}}in{{else}}out{{/with}}', 'out'],
    ['{{#has "constructor"}}in{{else}}out{{/has}}', 'out'],
  ])('of a value is nothing: %s', (template, text) => {
    expect(fillText(template)).toBe(text)
  })
})

test('a variable that is named like what stands behind every object is a variable', () => {
  const hostile = ['__proto__', 'constructor'].map((key) => ({
    key,
    value: key,
    locked: false,
    secret: false,
  }))
  const filled = fillRequest(apiRequest('http://{{__proto__}}/{{constructor}}'), hostile, counting())
  expect(filled).toMatchObject({ kind: 'filled', request: { url: 'http://__proto__/constructor' } })
})

describe('a template is refused', () => {
  test.each([
    ['{{HOST', 'is not a valid template: there is a tag without end in line 1'],
    ['a\nb {{"}} ', 'is not a valid template: there is a tag without end in line 2'],
    ['{{#if HOST}}', 'is not a valid template: a block that is not closed begins in line 1'],
    ['{{/if}}', 'is not a valid template: a block is closed that is not open in line 1'],
    ['\n{{#if HOST}}{{/unless}}', 'is not a valid template: a block is closed that is not open in line 2'],
    ['{{else}}', 'is not a valid template: there is an else too many in line 1'],
    ['{{#if A}}{{else}}{{else}}{{/if}}', 'is not a valid template: there is an else too many in line 1'],
    ['{{#HOST}}{{/HOST}}', 'is not a valid template: a block has no helper in line 1'],
    ['{{HOST 1}}', 'is not a valid template: there is a mistake or an unknown helper in line 1'],
    ['{{shout HOST}}', 'is not a valid template: there is a mistake or an unknown helper in line 1'],
    ['{{log HOST}}', 'is not a valid template: there is a mistake or an unknown helper in line 1'],
    ['{{()}}', 'is not a valid template: there is a mistake or an unknown helper in line 1'],
    [
      '{{#each HOST as |x|}}{{/each}}',
      'is not a valid template: there is a mistake or an unknown helper in line 1',
    ],
    ['{{> HOST}}', 'is not a valid template: there is a raw block, partial or decorator in line 1'],
    ['{{#> HOST}}{{/HOST}}', 'is not a valid template: there is a raw block, partial or decorator in line 1'],
    ['{{* HOST}}', 'is not a valid template: there is a raw block, partial or decorator in line 1'],
    [
      '{{{{if}}}}{{{{/if}}}}',
      'is not a valid template: there is a raw block, partial or decorator in line 1',
    ],
    ['{{this}}', 'inserts something that is not a text'],
    ['{{if HOST}}', 'gives the helper if something that it does not take'],
    ['{{date "the day before" "YYYY"}}', 'gives the helper date something that it does not take'],
    ['{{compare FIVE "~" 4}}', 'gives the helper compare something that it does not take'],
  ])('for what is wrong with it: %j', (template, reason) => {
    expect(fillText(template)).toEqual({ kind: 'template-invalid', reason: `"request.body" ${reason}` })
  })

  test('without a word of the values that were given to a helper', () => {
    expect(JSON.stringify(fillText('{{date TOKEN "YYYY"}}'))).not.toContain('a&b')
  })
})
