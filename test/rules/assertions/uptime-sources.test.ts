import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Comparison } from '../../../src/contract/assertion.ts'
import type { TcpRequest } from '../../../src/contract/checks/tcp/request.ts'
import { dataStateOf } from '../../../src/rules/assertions/tcp-sources.ts'
import { judge } from '../../../src/rules/judge.ts'
import { dnsDefinition } from '../../support/dns-definition.ts'
import { dnsObservation } from '../../support/dns-outcomes.ts'
import { tcpAssertion, tcpDefinition } from '../../support/tcp-attempt.ts'

const phasesUs = { dns: null, connect: 500, tls: null, send: null, firstByte: 500, download: null }
const timings = { startedAt: 0, totalUs: 1000, phasesUs }

const comparisons: readonly Comparison[] = [
  ...(['EQUALS', 'NOT_EQUALS', 'HAS_KEY', 'NOT_HAS_KEY', 'HAS_VALUE', 'NOT_HAS_VALUE', 'IS_EMPTY'] as const),
  ...(['NOT_EMPTY', 'GREATER_THAN', 'LESS_THAN', 'CONTAINS', 'NOT_CONTAINS', 'IS_NULL', 'NOT_NULL'] as const),
]

/** Whether each of these holds of a connection over which the target sent this. */
function holdOf(data: string, assertions: TcpRequest['assertions']): boolean[] {
  const definition = tcpDefinition(1, { assertions })
  const received = { data, dataBytes: Buffer.byteLength(data), truncated: false, ending: 'target' } as const
  const observation = {
    hostname: '127.0.0.1',
    port: 1,
    remoteAddress: '127.0.0.1',
    addresses: [],
    sentBytes: 0,
    received,
  }
  const outcome = { type: 'TCP', kind: 'observed', timings, observation } as const
  return judge(definition, outcome).assertions.map(({ holds }) => holds)
}

const texts = fc.string({ unit: 'binary', maxLength: 30 })
const word = fc.stringMatching(/^[a-z]{0,8}$/)

describe('RESPONSE_DATA', () => {
  test('is compared as the text that it is', () => {
    fc.assert(
      fc.property(texts, texts, texts, (before, part, after) => {
        const data = before + part + after
        const holds = holdOf(data, [
          tcpAssertion({ comparison: 'EQUALS', target: data }),
          tcpAssertion({ comparison: 'EQUALS', target: `${data}x` }),
          tcpAssertion({ comparison: 'CONTAINS', target: part }),
          tcpAssertion({ comparison: 'CONTAINS', target: `${data}x` }),
          tcpAssertion({ comparison: 'IS_EMPTY' }),
          tcpAssertion({ comparison: 'NOT_NULL' }),
        ])
        expect(holds).toEqual([true, false, true, false, data === '', true])
      }),
    )
  })

  test('is what the first group of a regular expression selects of it, the whole match without one', () => {
    fc.assert(
      fc.property(word, fc.integer({ min: -1e6, max: 1e6 }), word, (before, value, after) => {
        const data = `${before} v=${value};w=7 ${after}`
        const holds = holdOf(data, [
          tcpAssertion({ comparison: 'EQUALS', property: 'v=(-?\\d+);w=(\\d)', target: `${value}` }),
          tcpAssertion({ comparison: 'EQUALS', property: 'v=-?\\d+', target: `v=${value}` }),
          tcpAssertion({ comparison: 'GREATER_THAN', property: 'v=(-?\\d+)', target: `${value - 1}` }),
          tcpAssertion({ comparison: 'GREATER_THAN', property: 'v=(-?\\d+)', target: `${value}` }),
          tcpAssertion({ comparison: 'LESS_THAN', property: 'v=(-?\\d+)', target: `${value + 0.5}` }),
          tcpAssertion({ comparison: 'IS_NULL', property: 'v=(x)?' }),
          tcpAssertion({ comparison: 'IS_NULL', property: 'nothing like it' }),
        ])
        expect(holds).toEqual([true, true, true, false, true, true, true])
      }),
    )
  })

  test('may be JSON, a member of which a regular expression selects', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0 }), fc.jsonValue({ maxDepth: 1 }), (count, other) => {
        const data = JSON.stringify({ items: { count }, other })
        const member = tcpAssertion({ comparison: 'EQUALS', property: '"count":(\\d+)', target: `${count}` })
        expect(holdOf(data, [member])).toEqual([true])
      }),
    )
  })

  test('is decided only by what holds whatever follows, and asked for only where it is asserted on', () => {
    const ab = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 })
    const assertion = fc.record({
      source: fc.constantFrom('RESPONSE_DATA' as const, 'RESPONSE_TIME' as const),
      comparison: fc.constantFrom(...comparisons),
      property: fc.constantFrom('', '', 'a', '^(b)', '(a'),
      target: ab,
      regex: fc.constant(null),
    })
    fc.assert(
      fc.property(fc.array(assertion, { maxLength: 3 }), ab, ab, (assertions, data, more) => {
        const state = dataStateOf(assertions, data)
        const onData = assertions.filter(({ source }) => source === 'RESPONSE_DATA')
        expect(state === null).toBe(onData.length === 0)
        if (state === 'decided') expect(holdOf(data + more, onData)).not.toContain(false)
        if (state === 'missing') expect(holdOf(data, onData)).toContain(false)
      }),
      { numRuns: 5000 },
    )
  })

  test('that holds whatever follows decides', () => {
    fc.assert(
      fc.property(texts, texts, (data, part) => {
        const contains = [tcpAssertion({ comparison: 'CONTAINS', target: part })]
        expect(dataStateOf(contains, data + part)).toBe('decided')
        expect(dataStateOf(contains, data)).toBe(data.includes(part) ? 'decided' : 'missing')
      }),
    )
  })
})

describe('the answer of a name server', () => {
  const record = fc.record({
    name: word.map((text) => `${text}.test.`),
    type: fc.constantFrom('A', 'TXT', 'TYPE65'),
    TTL: fc.nat(),
    data: texts,
  })

  test('is read as text by a regular expression, and as JSON by a path', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), texts, (Answer, text) => {
        const [first] = Answer
        if (!first) throw new Error('one of one')
        const onJson = (property: string, target: string) =>
          ({ source: 'JSON_ANSWER', comparison: 'EQUALS', property, target, regex: null }) as const
        const onText = (comparison: 'EQUALS' | 'CONTAINS', property: string, target: string) =>
          ({ source: 'TEXT_ANSWER', comparison, property, target, regex: null }) as const
        const definition = dnsDefinition({
          assertions: [
            onJson('$.Answer.length', `${Answer.length}`),
            onJson('$.Answer[0].data', first.data),
            onJson('$.Answer[0].TTL', `${first.TTL}`),
            onJson('$.Status', 'NOERROR'),
            onText('EQUALS', '', `${text}v=1`),
            onText('EQUALS', 'v=(\\d)$', '1'),
            onText('CONTAINS', '', text),
          ],
        })
        const observation = dnsObservation({ Answer }, `${text}v=1`)
        const { assertions } = judge(definition, { type: 'DNS', kind: 'observed', timings, observation })
        expect(assertions.map(({ holds, message }) => [holds, message])).toEqual(
          assertions.map(() => [true, null]),
        )
      }),
    )
  })
})
