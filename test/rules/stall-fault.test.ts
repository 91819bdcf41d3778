import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ApiRequest } from '../../src/contract/checks/api/request.ts'
import type { OutcomeOf } from '../../src/contract/outcome.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'
import { judge } from '../../src/rules/judge.ts'
import { isStall } from '../../src/rules/stall-fault.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { observed, timedOut, unreachable } from '../support/api-outcomes.ts'

type Assertion = ApiRequest['assertions'][number]

const check = (
  assertions: Assertion[] = [],
  thresholds: Partial<DefinitionOf<'API'>> = {},
): DefinitionOf<'API'> => ({
  ...apiDefinition('http://target.test/', { assertions }),
  ...thresholds,
})

const expects = (
  source: Assertion['source'],
  comparison: Assertion['comparison'],
  target: string,
): Assertion => ({
  source,
  comparison,
  property: '',
  target,
  regex: null,
})

/** Whether the verdict on this outcome is our own fault after a stall, all of it in the measured time. */
function excused(definition: DefinitionOf<'API'>, outcome: OutcomeOf<'API'>, stalledMs: number): boolean {
  const { verdict } = judge(definition, outcome)
  return isStall({ definition, outcome, verdict }, stalledMs, stalledMs)
}

describe('an attempt without an answer', () => {
  test.each([
    ['a time-out, a fifth of it stall', timedOut(), 6000, true],
    ['a time-out that left the target four fifths of its time', timedOut(), 5999, false],
    ['a short time-out, a second of stall', timedOut(null, 2000), 1000, true],
    ['a short time-out, less than a second', timedOut(null, 2000), 999, false],
    ['a reset', unreachable('reset'), 1000, true],
    ['a hang-up', unreachable('closed'), 1000, true],
    ['name servers that did not answer', unreachable('dns-timeout'), 1000, true],
    ['a refusal', unreachable('refused'), 60_000, false],
    ['a name that does not exist', unreachable('dns-nxdomain'), 60_000, false],
    ['an expired certificate', unreachable('tls-expired'), 60_000, false],
    ['a request that cannot be sent', unreachable('invalid-request'), 60_000, false],
  ] as const)('%s', (_, outcome, stalledMs, ours) => {
    expect(excused(check(), outcome, stalledMs)).toBe(ours)
  })
})

describe('a slow answer is our own fault when without the stall the verdict could have been better', () => {
  const slow = observed({}, 5200)
  const limits = { degradedResponseTimeMs: 3000, maxResponseTimeMs: 5000 }
  test.each([
    ['just enough for the limit', check([], { maxResponseTimeMs: 5000 }), 200, true],
    ['not enough for the limit', check([], { maxResponseTimeMs: 5000 }), 199.9, false],
    ['enough to be degraded only', check([], limits), 500, true],
    ['just enough not to be degraded', check([], { degradedResponseTimeMs: 5000 }), 200, true],
    ['enough for an assertion', check([expects('RESPONSE_TIME', 'LESS_THAN', '5000')]), 201, true],
    ['not enough for an assertion', check([expects('RESPONSE_TIME', 'LESS_THAN', '5000')]), 200, false],
    [
      'an assertion that a stall helps',
      check([expects('RESPONSE_TIME', 'GREATER_THAN', '6000')]),
      5000,
      false,
    ],
    [
      'a time between two assertions',
      check([
        expects('RESPONSE_TIME', 'LESS_THAN', '2000'),
        expects('RESPONSE_TIME', 'GREATER_THAN', '1000'),
      ]),
      5200,
      true,
    ],
    ['an exact time', check([expects('RESPONSE_TIME', 'EQUALS', '5100')]), 150, true],
    [
      'another assertion fails as well',
      check([expects('RESPONSE_TIME', 'LESS_THAN', '5000'), expects('TEXT_BODY', 'CONTAINS', 'ok')]),
      5000,
      false,
    ],
    ['no stall', check([], { maxResponseTimeMs: 5000 }), 0, false],
  ])('%s', (_, definition, stalledMs, ours) => {
    expect(excused(definition, slow, stalledMs)).toBe(ours)
  })

  test('but never for what the target answered', () => {
    expect(excused(check([], { maxResponseTimeMs: 5000 }), observed({ status: 500 }, 5200), 5000)).toBe(false)
  })

  const limit = fc.option(fc.integer({ min: 0, max: 12 }), { nil: null })
  const timed = fc.record({
    comparison: fc.constantFrom('LESS_THAN', 'GREATER_THAN', 'EQUALS', 'NOT_EQUALS'),
    target: fc.integer({ min: 0, max: 12 }),
  })

  test('exactly: as if every possible time had been tried', () => {
    const rank = { passing: 0, degraded: 1, failing: 2 }
    const scenario = fc.record({ max: limit, degraded: limit, timed: fc.array(timed, { maxLength: 3 }) })
    const times = fc.record({
      tookUs: fc.integer({ min: 0, max: 12 }),
      stalledUs: fc.integer({ min: 0, max: 14 }),
    })
    const inMs = (us: number | null) => (us === null ? null : us / 1000)
    fc.assert(
      fc.property(scenario, times, ({ max, degraded, timed: wanted }, { tookUs, stalledUs }) => {
        const assertions = wanted.map(({ comparison, target }) =>
          expects('RESPONSE_TIME', comparison, String(target / 1000)),
        )
        const definition = check(assertions, {
          maxResponseTimeMs: inMs(max),
          degradedResponseTimeMs: inMs(degraded),
        })
        const stateAt = (us: number) => judge(definition, observed({}, us / 1000)).verdict.state
        const possible = Array.from({ length: tookUs + 1 }, (_, us) => us).filter(
          (us) => us >= tookUs - stalledUs,
        )
        const ours = possible.some((us) => rank[stateAt(us)] < rank[stateAt(tookUs)])
        expect(excused(definition, observed({}, tookUs / 1000), stalledUs / 1000)).toBe(ours)
      }),
      { numRuns: 500 },
    )
  })
})
