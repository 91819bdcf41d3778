import handlebars from '@checkly/handlebars'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fillRequest } from '../../../src/rules/template/fill-request.ts'
import { apiRequest } from '../../support/api-definition.ts'

const engine = handlebars.create()
const values = { A: 'a<&>"\'`=b', B: 'x,y,z', E: '', N: '5', 'my-key': '{{A}}' }
const variables = Object.entries(values).map(([key, value]) => ({ key, value, locked: false, secret: false }))
const now = new Date(2026, 6, 15, 23, 59).getTime()
const sources = { now: () => now, uuid: () => '', random: () => 0 }

function fill(body: string) {
  const filled = fillRequest(apiRequest('http://a', { body }), variables, sources)
  return filled.kind === 'filled' ? filled.request.body : filled.kind
}

function fillByEngine(body: string) {
  try {
    return engine.compile(body)({ ...values })
  } catch {
    // A backslash makes plain text of a tag, so that a block may lack its end.
    return 'template-invalid'
  }
}

const blank = fc.constantFrom(' ', '\n', '\r\n', '\t')
const mark = fc.constantFrom('x', '{', '"', '\\', "'", '(', '[', '&', '|', 'x}')
const content = fc
  .string({ unit: fc.oneof(blank, mark) })
  // A brace beside a tag makes another tag of it, or none.
  .filter((text) => !text.includes('{{') && !text.endsWith('{'))
const trim = fc.constantFrom('', '', '', '~')

const texts = fc.constantFrom(
  ...['A', 'B', 'E', 'N', 'this.A', './N', '[my-key]', '"A"', '@root.N', 'my-key'],
  ...['replace A "a" "}} {{"', 'split B "," 1', "split B ',' 2", 'tagValue A "b" "c"', 'lookup this "A"'],
)
const conditions = fc.constantFrom(
  ...['eq N "5"', 'eq N compare="6"', 'and A E', 'or (eq A "x") (not E)', 'neither A E', 'startsWith A "a"'],
  ...['contains B (replace N "5" "y")', 'compare N "<" 7', 'gt N 4', 'lte N 4', 'isnt N 5', 'has "A"'],
)
const blocks = fc.constantFrom(
  ...['if A', 'if E', 'unless E', 'eq N "5"', 'if (eq N "6")', 'compare N "typeof" "string"', 'is N 5'],
  ...['with B', 'each (split B "," -1)', 'each B', 'has "Q"', 'isTruthy N', 'ifEven N', 'unlessEq N "5"'],
)

const { template } = fc.letrec<{ template: string; insertion: string; comment: string; block: string }>(
  (tie) => ({
    template: fc
      .array(fc.oneof({ depthSize: 'small' }, content, tie('insertion'), tie('block'), tie('comment')), {
        maxLength: 4,
      })
      .map((parts) => parts.join('')),
    insertion: fc.oneof(
      fc
        .tuple(trim, fc.oneof(texts, conditions), trim)
        .map(([before, text, after]) => `{{${before}${text}${after}}}`),
      // Two values that are not texts, both as they are, one after the other, are added up by the engine.
      fc.tuple(trim, texts, trim).map(([before, text, after]) => `{{${before}{${text}}${after}}}`),
    ),
    comment: fc
      .tuple(trim, fc.constantFrom('! x ', '!-- }} --', "! don't ", '!----'), trim)
      .map(([before, text, after]) => `{{${before}${text}${after}}}`),
    block: fc
      .record({
        trims: fc.array(trim, { minLength: 6, maxLength: 6 }),
        condition: blocks,
        body: tie('template'),
        otherwise: fc.option(fc.tuple(fc.constantFrom('else', '^', ' else '), tie('template'))),
        // With an else, too, the engine takes the blanks of the one part for those of the other.
        inverted: fc.boolean(),
      })
      .map(({ trims: [t1, t2, t3, t4, t5, t6], condition, body, otherwise, inverted }) => {
        const sign = inverted && !otherwise ? '^' : '#'
        const [word = '', other = ''] = otherwise ?? []
        const middle = otherwise ? `{{${t3}${word}${t4}}}${other}` : ''
        return `{{${t1}${sign}${condition}${t2}}}${body}${middle}{{${t5}/${condition.split(' ')[0]}${t6}}}`
      }),
  }),
)

test('a template means what it means to the engine, except that nothing is missing', () => {
  let compared = 0
  fc.assert(
    fc.property(template, (text) => {
      const filled = fill(text)
      if (filled === 'variable-missing') return
      compared += 1
      expect(filled).toBe(fillByEngine(text))
    }),
    { numRuns: 500 },
  )
  expect(compared).toBeGreaterThan(200)
}, 30_000)

const units = fc.constantFrom('second', 'minute', 'hour', 'day', 'week', 'month', 'year')
const amounts = fc.oneof(
  fc.integer({ min: 0, max: 400 }).map(String),
  fc.constantFrom('a', 'an', 'three', 'twelve'),
)
const phrases = fc.oneof(
  fc.constantFrom(
    'now',
    'today',
    'Yesterday',
    ' tomorrow ',
    '2020-02-29',
    '2021-03-04T05:06:07',
    'nonsense',
    '',
  ),
  fc.tuple(amounts, units).map(([amount, unit]) => `${amount} ${unit}s ago`),
  fc.tuple(amounts, units).map(([amount, unit]) => `in ${amount} ${unit}`),
  fc.tuple(amounts, units).map(([amount, unit]) => `${amount} ${unit}s from now`),
  fc.tuple(fc.constantFrom('last', 'next'), units).map((words) => words.join(' ')),
)

test('a date is what it is to the engine, up to the time that passes between the two', () => {
  fc.assert(
    fc.property(phrases, (phrase) => {
      const text = `{{date "${phrase}" "x"}}`
      const before = Date.now()
      const filled = fillRequest(apiRequest('http://a', { body: text }), [], {
        ...sources,
        now: () => before,
      })
      const ms = filled.kind === 'filled' ? Number(filled.request.body) : null
      let expected: number | null = null
      try {
        expected = Number(engine.compile(text)({}))
      } catch {
        // No date to the engine.
      }
      if (ms === null || expected === null) expect(ms).toBe(expected)
      else expect(Math.abs(expected - ms)).toBeLessThan(5000)
    }),
  )
})
