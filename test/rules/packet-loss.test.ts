import { expect, test } from 'vitest'
import { judge } from '../../src/rules/judge.ts'
import { icmpDefinition, icmpOutcome } from '../support/icmp-outcome.ts'

test.each([
  [0, 10, 20, 'passing'],
  [10, 10, 20, 'passing'],
  [10.01, 10, 20, 'degraded'],
  [20, 10, 20, 'degraded'],
  [20.01, 10, 20, 'failing'],
  [98, null, null, 'passing'],
  [98, 10, null, 'degraded'],
  [98, 10, 100, 'degraded'],
  [30, null, 20, 'failing'],
] as const)('%d %% lost, degraded over %s and failing over %s, is %s', (packetLoss, degraded, max, state) => {
  const settings = { degradedPacketLossThreshold: degraded, maxPacketLossThreshold: max }
  const { verdict } = judge(icmpDefinition({ settings }), icmpOutcome({ packetLoss }))
  expect(verdict.state).toBe(state)
  expect(verdict.reasons).toHaveLength(state === 'passing' ? 0 : 1)
})

test('says how much was lost, and over which threshold', () => {
  const { verdict } = judge(icmpDefinition({}), icmpOutcome({ packetLoss: 30 }))
  expect(verdict.reasons).toEqual(['30 % of the packets were lost, over maxPacketLossThreshold 20 %'])
})

test('shouldFail makes no loss a success', () => {
  const { verdict } = judge(icmpDefinition({ shouldFail: true }), icmpOutcome({ packetLoss: 30 }))
  expect(verdict.state).toBe('failing')
})
