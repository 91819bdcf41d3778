import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SharedQuestion } from '../../../src/runner/canary/shared-question.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A question that is answered by hand, with the number of its asking. */
function setUp(limitMs = 3000) {
  const asked: { answer: () => void; signal: AbortSignal }[] = []
  const question = new SharedQuestion<number | 'ended'>({
    limitMs,
    monotonicMs: () => performance.now(),
    ask: (signal) =>
      new Promise((resolve) => {
        const number = asked.length + 1
        asked.push({ answer: () => resolve(number), signal })
        signal.addEventListener('abort', () => resolve('ended'))
      }),
  })
  const turn = (ms = 0) => vi.advanceTimersByTimeAsync(ms)
  return { question, asked, turn }
}

describe('a shared question', () => {
  test('is asked once for all who ask while it is under way', async () => {
    const { question, asked, turn } = setUp()
    const answers = Promise.all(Array.from({ length: 200 }, () => question.ask()))
    await turn()
    asked[0]?.answer()
    expect(new Set(await answers)).toEqual(new Set([1]))
    expect(asked).toHaveLength(1)
  })

  test('gives nobody an answer that came before, and is asked once a second at most', async () => {
    const { question, asked, turn } = setUp()
    const first = question.ask()
    await turn()
    asked[0]?.answer()
    expect(await first).toBe(1)
    const second = Promise.all([question.ask(), question.ask()])
    await turn(999)
    expect(asked).toHaveLength(1)
    await turn(1)
    asked[1]?.answer()
    expect(await second).toEqual([2, 2])
  })

  test('is asked at once after a quiet second', async () => {
    const { question, asked, turn } = setUp()
    const first = question.ask()
    await turn(1000)
    asked[0]?.answer()
    await first
    void question.ask()
    await turn()
    expect(asked).toHaveLength(2)
  })

  test('is ended after its limit', async () => {
    const { question, turn } = setUp(2000)
    const answer = question.ask()
    await turn(1999)
    await turn(1)
    expect(await answer).toBe('ended')
  })

  test('leaves no timer behind', async () => {
    const { question, asked, turn } = setUp()
    const answer = question.ask()
    await turn()
    asked[0]?.answer()
    await answer
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is not answered any more when it is closed', async () => {
    const { question, asked, turn } = setUp()
    const underWay = question.ask()
    await turn()
    question.close()
    expect(asked[0]?.signal.aborted).toBe(true)
    expect(await underWay).toBeNull()
    expect(await question.ask()).toBeNull()
    expect(asked).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('does not keep those waiting for their turn when it is closed', async () => {
    const { question, asked, turn } = setUp()
    const first = question.ask()
    await turn()
    asked[0]?.answer()
    await first
    const second = question.ask()
    await turn()
    question.close()
    expect(await second).toBeNull()
    expect(vi.getTimerCount()).toBe(0)
  })
})
