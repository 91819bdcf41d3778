import { describe, expect, test } from 'vitest'
import { cleanedMessage, failureMessage, rawMessage } from '../../src/rules/error-group.ts'
import { resultOf } from '../support/agent-messages.ts'
import { dueRun } from '../support/due-run.ts'

describe('the cleaned message', () => {
  test.each([
    ['took 1234.5 ms, over 1,000 ms', 'took <number> ms, over <number> ms'],
    ['order 9b2d1c3e-1111-4222-8333-abcdefabcdef is gone', 'order <id> is gone'],
    ['at 2026-03-01T12:00:00.123Z and 2026-03-01', 'at <time> and <time>'],
    ['at 12:00:01 again', 'at <time> again'],
    ['connect 10.0.0.1:8080, then 192.168.1.255', 'connect <address>, then <address>'],
    ['connect 2001:db8::1 or ::1', 'connect <address> or <address>'],
    ['pointer 0xDEADBEEF, commit 3f2a9c81d0', 'pointer <hex>, commit <hex>'],
    ['session a1b2c3d4e5f6g7h8i9 ended', 'session <id> ended'],
    ['a  line\n\tand another ', 'a line and another'],
    ['facade decade deadbeef', 'facade decade deadbeef'],
    ['The target refused the connection', 'The target refused the connection'],
    ['the response status 503 is 400 or above', 'the response status 503 is 400 or above'],
    ['expected STATUS_CODE EQUALS 200, was 503', 'expected STATUS_CODE EQUALS 200, was 503'],
    ['status 503 after 12 tries', 'status 503 after <number> tries'],
  ])('of %j is %j', (message, cleaned) => {
    expect(cleanedMessage(message)).toBe(cleaned)
  })

  test('is the same when it is cleaned again', () => {
    const once = cleanedMessage('at 12:00:01 order 7 of 10.0.0.1 and 0x1f')
    expect(cleanedMessage(once)).toBe(once)
  })

  test('is made in time that grows no faster than the message, and the message is cut', () => {
    for (const text of ['a:', '1.', '0', 'a1', '1:1', '-', ' \n', '0000-00-00T']) {
      const begun = performance.now()
      expect(cleanedMessage(text.repeat(1_000_000)).length).toBeLessThanOrEqual(20_000)
      expect(performance.now() - begun).toBeLessThan(1000)
    }
  })
})

test('a message is stored without what a database refuses', () => {
  expect(rawMessage('a\u0000b\uD800')).toBe('a\uFFFDb\uFFFD')
})

describe('what a result is grouped by', () => {
  const run = dueRun()
  const failing = resultOf(run, run.dueAt, 'failing').conclusion
  if (failing.kind !== 'judged' || failing.outcome.type !== 'API' || failing.outcome.kind !== 'observed')
    throw new Error('not observed')
  const { timings, observation } = failing.outcome
  const assertion = { source: 's', comparison: 'EQUALS', property: '', target: '', regex: null } as const
  const holding = { ...assertion, actual: '1', holds: true, message: null }
  const broken = { ...assertion, actual: '2', holds: false, message: 'expected 1, was 2' }
  const cause = { class: 'refused', code: 'ECONNREFUSED', message: 'refused', phase: 'connect' } as const
  const evidence = { request: observation.request, response: null, hops: [], tls: null }
  const unreachable = { type: 'API' as const, kind: 'unreachable' as const, timings, cause, evidence }

  test('is why there was no answer', () => {
    expect(failureMessage({ ...failing, outcome: unreachable, assertions: [broken] })).toBe('refused')
  })
  test('is the first assertion that does not hold', () => {
    expect(failureMessage({ ...failing, assertions: [holding, broken] })).toBe('expected 1, was 2')
  })
  test('is else the reason of the verdict', () => {
    expect(failureMessage({ ...failing, assertions: [holding] })).toBe('because')
  })
  test.each(['passing', 'degraded'] as const)('is nothing of a %s result', (state) => {
    expect(failureMessage(resultOf(run, run.dueAt, state).conclusion)).toBeNull()
  })
  test('is nothing of what is no failure of the target', () => {
    expect(failureMessage({ kind: 'missed', reason: 'late' })).toBeNull()
    expect(failureMessage({ kind: 'errored', reason: 'agent-fault', message: 'm' })).toBeNull()
  })
})
