import { describe, expect, test } from 'vitest'
import { fillRequest } from '../../../src/rules/template/fill-request.ts'
import { apiRequest, entry } from '../../support/api-definition.ts'

const sources = { now: () => 0, uuid: () => '', random: () => 0 }
const long = 'x,'.repeat(32_768)
const variables = [
  { key: 'LONG', value: long, locked: false, secret: false },
  { key: 'ONE', value: '1', locked: false, secret: false },
]

const fill = (request: Parameters<typeof apiRequest>[1], url = 'http://a') =>
  fillRequest(apiRequest(url, request), variables, sources)

const refused = (reason: string) => ({ kind: 'template-invalid', reason })

describe('what comes of a template is bounded', () => {
  test('in a URL', () => {
    expect(fill({}, 'http://{{LONG}}')).toEqual(
      refused('"request.url" has more than 16384 characters when it is filled in'),
    )
  })

  test.each([
    ['headers[0].value', { headers: [entry('a', 'b{{LONG}}')] }],
    ['queryParameters[0].value', { queryParameters: [entry('a', 'b{{LONG}}')] }],
    ['basicAuth.username', { basicAuth: { username: 'b{{LONG}}', password: '' } }],
    ['basicAuth.password', { basicAuth: { username: '', password: 'b{{LONG}}' } }],
  ])('in %s', (field, request) => {
    expect(fill(request)).toEqual(
      refused(`"request.${field}" has more than 65536 characters when it is filled in`),
    )
  })

  test('in a body', () => {
    expect(fill({ body: '{{LONG}}'.repeat(32) }).kind).toBe('filled')
    expect(fill({ body: `x${'{{LONG}}'.repeat(32)}` })).toEqual(
      refused('"request.body" has more than 2097152 characters when it is filled in'),
    )
  })

  test('in all of a request', () => {
    const headers = Array.from({ length: 65 }, (_, index) => entry(`h${index}`, '{{LONG}}'))
    expect(fill({ headers })).toEqual(
      refused('"request" has more than 4194304 characters when it is filled in'),
    )
  })
})

test.each([
  ['a loop in a loop', '{{#each (split LONG "," -1)}}{{#each (split ../LONG "," -1)}}{{/each}}{{/each}}'],
  ['a long list, made again and again', '{{split LONG "" 1}}'.repeat(800)],
  [
    'texts that grow',
    `{{#if ${'(replace '.repeat(9)}LONG "x" LONG${' "x" LONG)'.repeat(9)}}}{{/if}}`.repeat(20),
  ],
  ['far more than may come of it', '{{LONG}}'.repeat(900)],
])('%s is given up', (_, body) => {
  expect(fill({ body })).toEqual(refused('"request.body" takes too much work to fill in'))
})

test.each([
  ['tags', '{{ONE}}'.repeat(1001), 'has more than 1000 tags'],
  ['characters in its tags', `{{ONE${' '.repeat(16_384)}}}`, 'has more than 16384 characters in its tags'],
  [
    'characters in quotes',
    `{{replace ONE "${'}}'.repeat(8192)}" ""}}`,
    'has more than 16384 characters in its tags',
  ],
  [
    'blocks in blocks',
    `${'{{#if ONE}}'.repeat(51)}${'{{/if}}'.repeat(51)}`,
    'is not a valid template: blocks are nested over 50 deep in line 1',
  ],
  [
    'else after else',
    `{{#if ONE}}${'{{else if ONE}}'.repeat(50)}{{/if}}`,
    'is not a valid template: blocks are nested over 50 deep in line 1',
  ],
  [
    'parentheses in parentheses',
    `{{not ${'(not '.repeat(11)}ONE${')'.repeat(11)}}}`,
    'is not a valid template: parentheses are nested over 10 deep in line 1',
  ],
])('a template with too many %s is refused', (_, body, reason) => {
  expect(fill({ body })).toEqual(refused(`"request.body" ${reason}`))
})

test.each([
  ['line breaks before a block', `${'\n'.repeat(1_000_000)}x{{#if ONE}}{{/if}}`, 1_000_001],
  ['blanks before a tag that takes them away', `${' '.repeat(1_000_000)}x{{~ONE}}`, 1_000_002],
  ['blanks around a block', ` \n${' '.repeat(500_000)}{{#if ONE}}${' '.repeat(500_000)}x{{/if}}`, 1_000_003],
  ['backslashes', `${'\\'.repeat(1_000_000)}{{ONE}}`, 1_000_000],
  ['escaped braces', '\\{{'.repeat(300_000), 600_000],
  ['single braces', `${'{ '.repeat(500_000)}{{ONE}}`, 1_000_001],
])(
  'a body of a million %s takes no time to speak of',
  (_, body, length) => {
    const filled = fill({ body })
    expect(filled.kind === 'filled' && filled.request.body.length).toBe(length)
  },
  1000,
)
