import { describe, expect, test } from 'vitest'
import {
  type DnsAssertion,
  DnsReader,
  responseCodeFaults,
} from '../../../src/rules/assertions/dns-sources.ts'
import { evaluationOver } from '../../../src/rules/assertions/evaluate.ts'
import { dnsObservation } from '../../support/dns-outcomes.ts'

const Answer = [
  { name: 'a.test.', type: 'MX', TTL: 60, data: '10 mail.test.' },
  { name: 'a.test.', type: 'MX', TTL: 300, data: '20 mail2.test.' },
]
const text = 'a.test.\t60\tIN\tMX\t10 mail.test.\na.test.\t300\tIN\tMX\t20 mail2.test.'
const observation = dnsObservation({ Answer, AD: true }, text)

const assertion = (fields: Partial<DnsAssertion>): DnsAssertion => ({
  source: 'JSON_ANSWER',
  comparison: 'NOT_NULL',
  property: '',
  target: '',
  regex: null,
  ...fields,
})

function evaluate(fields: Partial<DnsAssertion>, seen = observation) {
  return evaluationOver([assertion(fields)], new DnsReader(seen, 12.3)).evaluate(0)
}

describe('a source of a DNS check gives', () => {
  test.each<[string, Partial<DnsAssertion>, string | null]>([
    ['the response time in milliseconds', { source: 'RESPONSE_TIME' }, '12.3'],
    ['the response code by its name', { source: 'RESPONSE_CODE' }, 'NOERROR'],
    ['the answer as text', { source: 'TEXT_ANSWER' }, text],
    ['what a regex of it captures', { source: 'TEXT_ANSWER', property: 'MX\\t20 (\\S+)' }, 'mail2.test.'],
    ['a whole match of it', { source: 'TEXT_ANSWER', property: '\\d+ mail\\.' }, '10 mail.'],
    ['nothing where it does not match', { source: 'TEXT_ANSWER', property: 'NS' }, null],
    ['the whole JSON', { property: '' }, '{"Answer":'],
    ['what a path selects', { property: '$.Answer[0].data' }, '10 mail.test.'],
    ['how many records there are', { property: '$.Answer.length' }, '2'],
    ['several values', { property: '$.Answer[*].TTL' }, '[60,300]'],
    ['a flag', { property: '$.AD' }, 'true'],
    ['the response code of the JSON', { property: '$.Status' }, 'NOERROR'],
    ['nothing for a path that selects nothing', { property: '$.Answer[2].data' }, null],
  ])('%s', (_what, fields, actual) => {
    const { actual: found } = evaluate(fields)
    if (actual === '{"Answer":') expect(found?.startsWith(actual)).toBe(true)
    else expect(found).toBe(actual)
  })
})

describe('an assertion on an answer', () => {
  test.each<[Partial<DnsAssertion>, boolean]>([
    [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' }, true],
    [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NXDOMAIN' }, false],
    [{ source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '12.4' }, true],
    [{ source: 'TEXT_ANSWER', comparison: 'CONTAINS', target: '10 mail.test.' }, true],
    [{ source: 'TEXT_ANSWER', comparison: 'NOT_CONTAINS', target: 'mail2' }, false],
    [{ property: '$.Answer[*].TTL', comparison: 'GREATER_THAN', target: '59' }, true],
    [{ property: '$.Answer[*].TTL', comparison: 'LESS_THAN', target: '300' }, false],
    [{ property: '$.Answer', comparison: 'IS_EMPTY' }, false],
    [{ property: '$.Answer.length', comparison: 'EQUALS', target: '2' }, true],
    [{ property: '$[', comparison: 'IS_NULL' }, false],
    [{ source: 'TEXT_ANSWER', property: '(', comparison: 'IS_NULL' }, false],
  ])('%j holds: %s', (fields, holds) => {
    expect(evaluate(fields).holds).toBe(holds)
  })

  test('says which value it failed for', () => {
    expect(evaluate({ property: '$.Answer[*].TTL', comparison: 'EQUALS', target: '60' }).message).toBe(
      'expected $.Answer[*].TTL EQUALS 60, was 300 (number 2 of 2 found)',
    )
  })
})

describe('an answer passes', () => {
  const about = (source: DnsAssertion['source']) => [{ source }]

  test('on NOERROR, with records or without', () => {
    expect(responseCodeFaults(dnsObservation(), [])).toEqual([])
  })

  test('on no other response code', () => {
    const absent = dnsObservation({ Status: 'NXDOMAIN' })
    const faults = ['the response code NXDOMAIN is not NOERROR']
    expect(responseCodeFaults(absent, [])).toEqual(faults)
    expect(responseCodeFaults(absent, about('JSON_ANSWER'))).toEqual(faults)
  })

  test('on whatever an assertion on the response code says', () => {
    expect(responseCodeFaults(dnsObservation({ Status: 'NXDOMAIN' }), about('RESPONSE_CODE'))).toEqual([])
  })
})
