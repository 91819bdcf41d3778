import { expect, test } from 'vitest'
import type { IcmpAssertion } from '../../../src/rules/assertions/icmp-sources.ts'
import { judge } from '../../../src/rules/judge.ts'
import { icmpDefinition, icmpOutcome } from '../../support/icmp-outcome.ts'
import { icmpRequest } from '../../support/ping-once.ts'

/** One assertion over three pings, of which the second was lost. */
function asserted(assertion: Partial<IcmpAssertion>) {
  const whole = { source: 'LATENCY', comparison: 'EQUALS', property: '', target: '', regex: null } as const
  const request = icmpRequest({ assertions: [{ ...whole, ...assertion }] })
  const [result] = judge(icmpDefinition({ request }), icmpOutcome({})).assertions
  return result
}

test.each([
  ['avg', 'LESS_THAN', '2.6', true],
  ['avg', 'GREATER_THAN', '2.6', false],
  ['min', 'EQUALS', '1.25', true],
  ['max', 'LESS_THAN', '4', false],
  ['stddev', 'EQUALS', '1.5', true],
  ['stdDev', 'EQUALS', '1.5', true],
  [' MAX ', 'EQUALS', '4.75', true],
] as const)('LATENCY %s %s %s: %s', (property, comparison, target, holds) => {
  expect(asserted({ property, comparison, target })?.holds).toBe(holds)
})

test.each(['', 'median', 'avg.min'])(
  'a latency that there is not (%j) holds for nothing, and says what there is',
  (property) => {
    expect(asserted({ property, comparison: 'NOT_EQUALS', target: '1' })).toMatchObject({
      holds: false,
      actual: null,
      message: expect.stringContaining('is none of min, max, avg and stddev'),
    })
  },
)

test.each([
  ['$.hostname', 'EQUALS', 'a.test', true],
  ['$.packetLoss', 'LESS_THAN', '1', true],
  ['$.packetsReceived', 'GREATER_THAN', '2', false],
  ['$.latency.stdDev', 'EQUALS', '1.5', true],
  ['$.pingResults.length', 'EQUALS', '3', true],
  ['$.pingResults[*].success', 'EQUALS', 'true', false],
  ['$.pingResults[0].ttl', 'EQUALS', '57', true],
  ['$.pingResults[1].rtt', 'IS_NULL', '', true],
] as const)('JSON_RESPONSE %s %s %s: %s', (property, comparison, target, holds) => {
  expect(asserted({ source: 'JSON_RESPONSE', property, comparison, target })?.holds).toBe(holds)
})

test('the JSON has the names of semantics §3, and no others', () => {
  const names =
    'hostname resolvedIp ipFamily pingCount packetsSent packetsReceived packetSize packetLoss latency pingResults'
  const has = (target: string) =>
    asserted({ source: 'JSON_RESPONSE', property: '$', comparison: 'HAS_KEY', target })?.holds
  expect(names.split(' ').filter((name) => !has(name))).toEqual([])
  expect(['refusals', 'addresses'].filter(has)).toEqual([])
})
