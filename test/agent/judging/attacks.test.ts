import { describe, expect, test } from 'vitest'
import { observed } from '../../support/api-outcomes.ts'
import {
  asserting,
  assertion,
  bait,
  catastrophe,
  messagesOf,
  setUpJudging,
  statusIs200,
} from '../../support/judging.ts'
import { longestGapMs } from '../../support/loop-gap.ts'

/** Generous: the machine that runs this is shared. A loop that judged would stand still for a second and more. */
const maxGapMs = 500
const bodyBytes = 25_000_000

describe('the event loop goes on while the thread is at', () => {
  test('regular expressions that never end, wherever they are; the rest is judged all the same', async () => {
    const { conclude } = setUpJudging()
    const check = asserting(
      assertion({ property: '(a+)+$' }),
      assertion({ source: 'HEADERS', property: 'x', regex: catastrophe }),
      statusIs200,
      assertion({ source: 'JSON_BODY', property: "$[?match(@, '(a+)+')]" }),
      assertion({ source: 'JSON_BODY', property: "$[?search(@, '^(a+)+$')]" }),
      assertion({ source: 'JSON_BODY', property: '$.length', comparison: 'EQUALS', target: '1' }),
    )
    const outcome = observed({ headers: { x: bait }, body: JSON.stringify([bait]) })
    const gapMs = await longestGapMs(async () => {
      expect(messagesOf(await conclude(check, outcome))).toEqual([
        'expected TEXT_BODY "(a+)+$" NOT_NULL, but its regular expression took longer than 1000 ms',
        `expected HEADERS x "${catastrophe}" NOT_NULL, but its regular expression took longer than 1000 ms`,
        null,
        "expected $[?match(@, '(a+)+')] NOT_NULL, but its JSONPath took longer than 1000 ms",
        "expected $[?search(@, '^(a+)+$')] NOT_NULL, but its JSONPath took longer than 1000 ms",
        null,
      ])
    })
    expect(gapMs).toBeLessThan(maxGapMs)
  }, 60_000)

  test('paths that go over a document again and again', async () => {
    const { conclude } = setUpJudging()
    const check = asserting(
      assertion({ source: 'JSON_BODY', property: '$..*..*..*' }),
      assertion({ source: 'JSON_BODY', property: '$..*..*..*.absent' }),
      statusIs200,
    )
    const body = `${'{"a":['.repeat(400)}1${']}'.repeat(400)}`
    const gapMs = await longestGapMs(async () => {
      expect(messagesOf(await conclude(check, observed({ body })))).toEqual([
        'expected $..*..*..* NOT_NULL, but its JSONPath took longer than 1000 ms',
        'expected $..*..*..*.absent NOT_NULL, but its JSONPath took longer than 1000 ms',
        null,
      ])
    })
    expect(gapMs).toBeLessThan(maxGapMs)
  }, 60_000)

  test('a JSON body of 25 MB', async () => {
    const { conclude } = setUpJudging()
    const record = '{"id":1,"name":"item","price":0.5,"tags":["a","b"],"ok":true},'
    const count = Math.floor(bodyBytes / record.length)
    const json = { source: 'JSON_BODY', comparison: 'EQUALS' } as const
    const check = asserting(
      assertion({ ...json, property: '$.length', target: String(count + 1) }),
      assertion({ ...json, property: `$[${count - 1}].tags`, target: '["a","b"]' }),
      assertion({ ...json, property: '$[?@.last].last', target: 'yes' }),
      assertion({ comparison: 'CONTAINS', target: `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}` }),
    )
    const body = `[${record.repeat(count)}{"last":"yes"}]`
    const gapMs = await longestGapMs(async () => {
      const { assertions, outcome } = await conclude(check, observed({ body }))
      expect(assertions.map(({ holds }) => holds)).toEqual([true, true, true, false])
      expect(outcome).toMatchObject({ observation: { response: { status: 200, truncated: true } } })
    })
    expect(gapMs).toBeLessThan(maxGapMs)
  }, 60_000)

  test('a body of 25 MB that would be a thousand as JSON, which it does not try', async () => {
    const { conclude, threads } = setUpJudging()
    const check = asserting(assertion({ source: 'JSON_BODY' }), statusIs200)
    for (const part of ['{},', '[[],[]],', '{"30":1},']) {
      const body = `[${part.repeat(bodyBytes / part.length)}0]`
      const gapMs = await longestGapMs(async () => {
        expect(messagesOf(await conclude(check, observed({ body })))).toEqual([
          'expected $ NOT_NULL, but the response body holds too many values: as JSON it would take over 384 MB of memory',
          null,
        ])
      })
      expect(gapMs).toBeLessThan(maxGapMs)
    }
    expect(threads).toHaveLength(1)
  }, 60_000)

  test('a hundred such assertions: what is left after five seconds of work is given up, and the third time all', async () => {
    const { conclude, threads } = setUpJudging()
    const hundred = Array.from({ length: 100 }, (_, index) => assertion({ property: `^(a+)+${index}$` }))
    const judge = async () =>
      messagesOf(await conclude(asserting(statusIs200, ...hundred), observed({ body: bait })))
    const gapMs = await longestGapMs(async () => {
      for (const _time of [1, 2]) {
        const [status, ...others] = await judge()
        expect([status, others.length]).toEqual([null, 100])
        const slow = others.filter((message) =>
          message?.endsWith(', but its regular expression took longer than 1000 ms'),
        )
        const givenUp = others.filter((message) =>
          message?.endsWith(', but the assertions of this check took longer than 5000 ms together'),
        )
        expect(slow.length).toBeGreaterThan(2)
        expect(slow.length).toBeLessThan(6)
        expect(slow.length + givenUp.length).toBe(100)
      }
      const tried = threads.length
      const [status, ...others] = await judge()
      expect(status).toBeNull()
      for (const message of others)
        expect(message).toMatch(/twice in a row, and (is|are) not tried again for 5 minutes$/)
      expect(threads).toHaveLength(tried)
    })
    expect(gapMs).toBeLessThan(maxGapMs)
  }, 120_000)
})
