import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OutcomeOf } from '../../src/contract/outcome.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'
import type { Verdict } from '../../src/contract/verdict.ts'
import { figuresOf } from '../../src/rules/icmp-figures.ts'
import { isAnswered, judge } from '../../src/rules/judge.ts'
import { questionsAbout } from '../../src/rules/own-fault.ts'
import { icmpDefinition, icmpOutcome } from '../support/icmp-outcome.ts'
import { bare, definitions, outcomes, type UptimeType, uptimeTypes } from '../support/judged-values.ts'

const ranks: Readonly<Record<Verdict['state'], number>> = { passing: 0, degraded: 1, failing: 2 }
const rank = ({ verdict }: { readonly verdict: Verdict }) => ranks[verdict.state]

function at(outcome: OutcomeOf<UptimeType>, totalUs: number): OutcomeOf<UptimeType> {
  const copy = structuredClone(outcome)
  copy.timings.totalUs = totalUs
  return copy
}

/** Also exactly as long as a threshold. */
const times = fc.oneof(
  fc.integer({ min: 0, max: 40_000_000 }),
  fc.constantFrom('degradedResponseTimeMs', 'maxResponseTimeMs'),
)
type Time = typeof times extends fc.Arbitrary<infer T> ? T : never

const microsOf = (time: Time, definition: DefinitionOf<UptimeType>) =>
  typeof time === 'number' ? time : (definition[time] ?? 0) * 1000

describe.each(uptimeTypes)('of a %s check', (type) => {
  const both = [definitions(type), outcomes(type)] as const

  test('whatever was seen gives one verdict, the same each time, with its reasons', () => {
    fc.assert(
      fc.property(...both, (definition, outcome) => {
        const judged = judge(definition, outcome)
        expect(judge(structuredClone(definition), structuredClone(outcome))).toEqual(judged)
        const { state, reasons } = judged.verdict
        expect(reasons.length > 0).toBe(state !== 'passing')
        if (isAnswered(definition, outcome)) {
          expect(judged.assertions).toHaveLength(definition.request.assertions.length)
          if (judged.assertions.some(({ holds }) => !holds)) expect(state).toBe('failing')
        }
      }),
      { numRuns: 500 },
    )
  })

  test('what is no answer fails by its cause alone, whatever shouldFail and the thresholds say', () => {
    fc.assert(
      fc.property(...both, (definition, outcome) => {
        if (outcome.kind === 'observed' || isAnswered(definition, outcome)) return fc.pre(false)
        const { assertions, verdict } = judge(definition, outcome)
        expect({ assertions, state: verdict.state, reasons: verdict.reasons }).toEqual({
          assertions: [],
          state: 'failing',
          reasons: [outcome.cause.message],
        })
      }),
    )
  })

  test('a threshold is passed by more than its value, and only a longer time makes it worse', () => {
    fc.assert(
      fc.property(...both, times, times, (definition, outcome, one, other) => {
        const [oneUs, otherUs] = [microsOf(one, definition), microsOf(other, definition)]
        const untimed = structuredClone(definition)
        untimed.request.assertions = []
        const [shorter, longer] = [Math.min(oneUs, otherUs), Math.max(oneUs, otherUs)].map((us) =>
          judge(untimed, at(outcome, us)),
        )
        if (!shorter || !longer) throw new Error('two of two')
        expect(rank(shorter)).toBeLessThanOrEqual(rank(longer))
        const { degradedResponseTimeMs: degraded, maxResponseTimeMs: max } = definition
        const tookMs = Math.max(oneUs, otherUs) / 1000
        expect(longer.verdict).toMatchObject({
          overMaxResponseTime: max !== null && tookMs > max,
          overDegradedResponseTime: degraded !== null && tookMs > degraded,
        })
        if (longer.verdict.overMaxResponseTime) expect(longer.verdict.state).toBe('failing')
        else if (longer.verdict.overDegradedResponseTime) expect(rank(longer)).toBeGreaterThan(0)
      }),
    )
  })

  test('whose fault a failure is depends on what was seen, and on nothing that the check says', () => {
    fc.assert(
      fc.property(...both, (definition, outcome) => {
        const questions = questionsAbout(outcome)
        const doubted = questions.nameServers || questions.egress || questions.unrouted.length > 0
        // What shouldFail turns into a success is never doubted: nothing of ours looks like it.
        if (outcome.kind !== 'observed' && isAnswered(definition, outcome)) expect(doubted).toBe(false)
        if (outcome.kind === 'observed') expect(doubted).toBe(false)
      }),
    )
  })
})

/** Of the same check, which expects a failure and which does not. */
const judgedBoth = <T extends UptimeType>(definition: DefinitionOf<T>, outcome: OutcomeOf<T>) =>
  [judge(bare(definition, true), outcome), judge(bare(definition, false), outcome)] as const

describe('shouldFail', () => {
  test('turns an accepted and a refused TCP connection around, and nothing else', () => {
    fc.assert(
      fc.property(definitions('TCP'), outcomes('TCP'), (definition, outcome) => {
        const [expected, not] = judgedBoth(definition, outcome)
        const isTurned = outcome.kind === 'observed' || outcome.cause.class === 'refused'
        if (isTurned) expect(new Set([rank(expected), rank(not)])).toEqual(new Set([0, 2]))
        else expect(expected).toEqual(not)
        expect(rank(not)).toBe(outcome.kind === 'observed' ? 0 : 2)
      }),
      { numRuns: 1000 },
    )
  })

  test('turns the status of a URL check around, and nothing else', () => {
    fc.assert(
      fc.property(
        definitions('URL'),
        outcomes('URL'),
        fc.integer({ min: 100, max: 599 }),
        (definition, outcome, status) => {
          const seen = structuredClone(outcome)
          if (seen.kind === 'observed') seen.observation.response.status = status
          const [expected, not] = judgedBoth(definition, seen)
          if (seen.kind !== 'observed') expect(expected).toEqual(not)
          else expect([rank(expected), rank(not)]).toEqual(status >= 400 ? [0, 2] : [2, 0])
        },
      ),
      { numRuns: 500 },
    )
  })

  test.each(['DNS', 'ICMP'] as const)('changes nothing of a %s check', (type) => {
    fc.assert(
      fc.property(definitions(type), outcomes(type), (definition, outcome) => {
        const [expected, not] = judgedBoth(definition, outcome)
        expect(expected).toEqual(not)
      }),
    )
  })
})

test('a DNS check passes on NOERROR, or on what an assertion says of the response code', () => {
  const codes = fc.constantFrom('NOERROR', 'NXDOMAIN', 'SERVFAIL', 'RCODE4095')
  fc.assert(
    fc.property(
      definitions('DNS'),
      outcomes('DNS'),
      codes,
      fc.option(codes),
      (definition, outcome, Status, wanted) => {
        if (outcome.kind !== 'observed') return fc.pre(false)
        const seen = structuredClone(outcome)
        seen.observation.response.json.Status = Status
        const onCode = { source: 'RESPONSE_CODE', comparison: 'EQUALS', property: '', regex: null } as const
        const check = bare(definition, false)
        check.request.assertions = wanted === null ? [] : [{ ...onCode, target: wanted }]
        const { verdict } = judge(check, seen)
        expect(verdict.state).toBe(Status === (wanted ?? 'NOERROR') ? 'passing' : 'failing')
      },
    ),
    { numRuns: 500 },
  )
})

describe('packet loss', () => {
  const rtt = fc.double({ min: 0, max: 2000, noNaN: true })
  const echoes = fc
    .array(fc.option(rtt), { minLength: 1, maxLength: 50 })
    .map((times) =>
      times.map((rttMs, index) => ({ sequence: index + 1, rttMs, ttl: rttMs === null ? null : 64 })),
    )
  const percent = fc.oneof(
    fc.constantFrom(null, 'as much as is lost'),
    fc.double({ min: 0, minExcluded: true, max: 100, noNaN: true }),
  )

  test('is the share that got no reply, and its latency lies within the replies', () => {
    fc.assert(
      fc.property(echoes, (sent) => {
        const { packetsSent, packetsReceived, packetLoss, latency } = figuresOf(sent)
        const times = sent.flatMap(({ rttMs }) => (rttMs === null ? [] : [rttMs]))
        expect([packetsSent, packetsReceived]).toEqual([sent.length, times.length])
        expect(packetLoss).toBeCloseTo(((sent.length - times.length) / sent.length) * 100, 2)
        if (latency === null) {
          expect([times, packetLoss]).toEqual([[], 100])
          return
        }
        const { min, avg, max, stdDev } = latency
        expect([min, max]).toEqual([Math.min(...times), Math.max(...times)])
        expect(avg).toBeGreaterThanOrEqual(min - 0.001)
        expect(avg).toBeLessThanOrEqual(max + 0.001)
        expect(stdDev).toBeGreaterThanOrEqual(0)
        expect(stdDev).toBeLessThanOrEqual((max - min) / 2 + 0.001)
      }),
      { numRuns: 1000 },
    )
  })

  test('over its threshold degrades or fails the check, as much as it does not', () => {
    fc.assert(
      fc.property(echoes, percent, percent, (sent, degraded, max) => {
        const { packetLoss, latency, ...figures } = figuresOf(sent)
        fc.pre(packetLoss !== null && latency !== null)
        if (packetLoss === null || latency === null) return
        const percentOf = (threshold: string | number | null) =>
          typeof threshold === 'string' ? packetLoss : threshold
        const settings = {
          degradedPacketLossThreshold: percentOf(degraded),
          maxPacketLossThreshold: percentOf(max),
        }
        const outcome = icmpOutcome({ ...figures, packetLoss, latency })
        const { state } = judge(icmpDefinition({ settings }), outcome).verdict
        const isOver = (threshold: string | number | null) =>
          typeof threshold === 'number' && packetLoss > threshold
        expect(state).toBe(isOver(max) ? 'failing' : isOver(degraded) ? 'degraded' : 'passing')
      }),
      { numRuns: 1000 },
    )
  })
})
