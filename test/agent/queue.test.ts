import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RunQueue } from '../../src/agent/queue.ts'

const { signal } = new AbortController()
const forever = () => new Promise<never>(() => {})

describe('the slots of the agent', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('are given away by attempts that wait for a slow target, so that a target that answers is not late', async () => {
    const queue = new RunQueue(2)
    for (let count = 0; count < 2; count += 1) void queue.run(forever, signal)
    const good = queue.run(async () => 'answered', signal)
    expect(queue).toMatchObject({ running: 2, slow: 0, waiting: 1 })
    await vi.advanceTimersByTimeAsync(250)
    expect(await good).toBe('answered')
    expect(queue).toMatchObject({ running: 2, slow: 2, waiting: 0 })
  })

  test('bound the slow ones as well: four for each slot', async () => {
    const queue = new RunQueue(1)
    const ends: (() => void)[] = []
    const slow = () => new Promise<void>((resolve) => ends.push(resolve))
    const attempts = Array.from({ length: 6 }, () => queue.run(slow, signal))
    await vi.advanceTimersByTimeAsync(5000)
    expect(queue).toMatchObject({ running: 5, slow: 4, waiting: 1 })
    ends[0]?.()
    await attempts[0]
    await vi.advanceTimersByTimeAsync(250)
    expect(queue).toMatchObject({ running: 5, slow: 4, waiting: 0 })
    for (let count = 0; count < 5; count += 1) ends[count]?.()
    await vi.advanceTimersByTimeAsync(250)
    ends[5]?.()
    await Promise.all(attempts)
    expect(queue).toMatchObject({ running: 0, slow: 0, waiting: 0 })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('give what the attempt gives, and its error', async () => {
    const queue = new RunQueue(1)
    expect(await queue.run(async () => 7, signal)).toBe(7)
    await expect(queue.run(() => Promise.reject(new Error('no')), signal)).rejects.toThrow('no')
    expect(queue).toMatchObject({ running: 0, waiting: 0 })
  })

  test('are not waited for by an attempt that is told to stop', async () => {
    const queue = new RunQueue(1)
    void queue.run(forever, signal)
    const stop = new AbortController()
    const waiting = queue.run(forever, stop.signal)
    expect(queue.waiting).toBe(1)
    stop.abort(new Error('let go'))
    expect(queue.waiting).toBe(0)
    await expect(waiting).rejects.toThrow('let go')
  })

  test('pass over an attempt that was told to stop before its turn', async () => {
    const queue = new RunQueue(1)
    const first = Promise.withResolvers<void>()
    const stop = new AbortController()
    const stopped = vi.fn<() => Promise<void>>(forever)
    const running = queue.run(() => first.promise, signal)
    const waiting = queue.run(stopped, stop.signal)
    const next = queue.run(async () => 'next', signal)
    stop.abort(new Error('let go'))
    await expect(waiting).rejects.toThrow('let go')
    await expect(queue.run(stopped, stop.signal)).rejects.toThrow('let go')
    expect(queue).toMatchObject({ running: 1, waiting: 1 })
    first.resolve()
    await running
    expect(await next).toBe('next')
    expect(stopped).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(0)
    expect(queue).toMatchObject({ running: 0, waiting: 0 })
  })
})
