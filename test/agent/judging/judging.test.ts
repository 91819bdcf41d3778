import { describe, expect, test } from 'vitest'
import type { CheckDefinition } from '../../../src/contract/run.ts'
import { observed, unreachable } from '../../support/api-outcomes.ts'
import {
  type Assertion,
  asserting,
  assertion,
  bait,
  catastrophe,
  messagesOf,
  setUpJudging,
  statusIs200,
} from '../../support/judging.ts'

const catastrophic = assertion({ property: catastrophe, comparison: 'EQUALS', target: 'x' })
const harmless = assertion({ property: '(b.)', comparison: 'EQUALS', target: 'bc' })
const tookTooLong = `expected TEXT_BODY "${catastrophe}" EQUALS x, but its regular expression took longer than 1000 ms`

describe('what takes no time', () => {
  test('is judged in place: no promise, no thread', () => {
    const { conclude, threads } = setUpJudging()
    const check = asserting(
      statusIs200,
      assertion({ source: 'JSON_BODY', property: '$.items.length', comparison: 'GREATER_THAN', target: '3' }),
      assertion({ source: 'HEADERS', property: 'x', comparison: 'EQUALS', target: 'y' }),
      assertion({ comparison: 'CONTAINS', target: 'items' }),
    )
    const outcome = observed({ headers: { x: 'y' }, body: '{"items":[1,2]}' })
    const reports = Array.from({ length: 1000 }, () => conclude(check, outcome))
    for (const report of reports) {
      expect(report).toMatchObject({
        outcome: { kind: 'observed' },
        assertions: [
          { holds: true },
          { message: 'expected $.items.length GREATER_THAN 3, was 2' },
          { holds: true },
          { holds: true },
        ],
        verdict: { state: 'failing' },
      })
    }
    expect(conclude(check, unreachable())).toMatchObject({ assertions: [], verdict: { state: 'failing' } })
    expect(threads).toEqual([])
  })

  test.each<[string, CheckDefinition, string]>([
    ['a body over 64 KB', asserting(), 'a'.repeat(65_537)],
    ['a regular expression on the body', asserting(assertion({ property: 'a' })), ''],
    ['one on a header', asserting(assertion({ source: 'HEADERS', property: 'x', regex: 'a' })), ''],
    ['a JSONPath that searches', asserting(assertion({ source: 'JSON_BODY', property: '$..a' })), ''],
    ['many assertions on a body', asserting(...Array<Assertion>(100).fill(assertion({}))), 'a'.repeat(4096)],
  ])('is not %s', async (_name, check, body) => {
    const { conclude, threads } = setUpJudging()
    const concluded = conclude(check, observed({ body }))
    expect(concluded).toBeInstanceOf(Promise)
    await concluded
    expect(threads).toHaveLength(1)
  })
})

describe('an assertion that ran out of time', () => {
  test('twice in a row is not tried again for five minutes, in this version of its check', async () => {
    const time = { ms: 0 }
    const { conclude, threads } = setUpJudging({ clock: { monotonicMs: () => time.ms } })
    const check = asserting(catastrophic, harmless)
    const judge = async (version = 1) =>
      messagesOf(await conclude({ ...check, version }, observed({ body: `${bait}bc` })))
    expect(await judge()).toEqual([tookTooLong, null])
    expect(await judge()).toEqual([tookTooLong, null])
    const tried = threads.length
    const notTried = [`${tookTooLong} twice in a row, and is not tried again for 5 minutes`, null]
    expect(await judge()).toEqual(notTried)
    time.ms = 299_999
    expect(await judge()).toEqual(notTried)
    expect(threads).toHaveLength(tried)
    expect(await judge(2)).toEqual([tookTooLong, null])
    time.ms = 300_000
    expect(await judge()).toEqual([tookTooLong, null])
    expect(await judge()).toEqual(notTried)
  }, 60_000)

  test('and is in time the next time is tried on: two that are not in a row do not count', async () => {
    const { conclude } = setUpJudging()
    const judge = async (body: string) =>
      messagesOf(await conclude(asserting(catastrophic), observed({ body })))
    const inTime = [`expected TEXT_BODY "${catastrophe}" EQUALS x, was "a"`]
    expect(await judge(bait)).toEqual([tookTooLong])
    expect(await judge('a')).toEqual(inTime)
    expect(await judge(bait)).toEqual([tookTooLong])
    expect(await judge('a')).toEqual(inTime)
  }, 60_000)

  test('is to blame for its own time alone, and lets others go first', async () => {
    const { conclude } = setUpJudging()
    const ended: string[] = []
    const judge = async (checkId: string, ...assertions: Assertion[]) => {
      const report = await conclude({ ...asserting(...assertions), checkId }, observed({ body: `${bait}bc` }))
      ended.push(checkId)
      return messagesOf(report)
    }
    const all = [judge('first', catastrophic), judge('second', catastrophic), judge('third', harmless)]
    expect(await Promise.all(all)).toEqual([[tookTooLong], [tookTooLong], [null]])
    expect(ended).toEqual(['third', 'first', 'second'])
  }, 60_000)
})

describe('a fault of the thread is our own', () => {
  test('when it ends by itself: the attempt is not judged, the next is, in a thread of its own', async () => {
    const { conclude, threads } = setUpJudging()
    const check = asserting(catastrophic)
    const first = conclude(check, observed({ body: bait }))
    const second = conclude(asserting(harmless), observed({ body: 'bc' }))
    await expect.poll(() => threads.length).toBe(1)
    await threads[0]?.terminate()
    await expect(first).rejects.toMatchObject({ code: 'JUDGING_FAILED' })
    expect(messagesOf(await second)).toEqual([null])
    expect(threads).toHaveLength(2)
  })

  test('when judging throws: the thread goes on', async () => {
    const { conclude, threads } = setUpJudging()
    const unknown: Pick<Assertion, 'comparison'> = JSON.parse('{"comparison":"IS_PRIME"}')
    const broken = asserting(assertion({ ...unknown, property: 'b' }))
    await expect(conclude(broken, observed({ body: 'bc' }))).rejects.toMatchObject({
      code: 'JUDGING_FAILED',
      cause: expect.any(TypeError),
    })
    expect(messagesOf(await conclude(asserting(harmless), observed({ body: 'bc' })))).toEqual([null])
    expect(threads).toHaveLength(1)
  })
})

test('closing ends what is judged and what waits at once, and the thread with it', async () => {
  const { conclude, close, threads } = setUpJudging()
  const attempts = [1, 2, 3].map(async () => conclude(asserting(catastrophic), observed({ body: bait })))
  const ended = Promise.allSettled(attempts)
  await expect.poll(() => threads.length).toBe(1)
  await close()
  for (const { status } of await ended) expect(status).toBe('rejected')
  expect(threads[0]?.threadId).toBe(-1)
  await expect(conclude(asserting(harmless), observed({}))).rejects.toMatchObject({ code: 'JUDGING_FAILED' })
  await close()
})
