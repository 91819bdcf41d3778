import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DueTimers } from '../../src/agent/due-timers.ts'

/** Time that moves from timer to timer. */
function manualTime() {
  let now = 0
  let armed: { readonly atMs: number; readonly callback: () => void } | null = null
  const timers = new DueTimers(
    () => now,
    (callback, ms) => {
      const mine = { atMs: now + ms, callback }
      armed = mine
      return () => {
        if (armed === mine) armed = null
      }
    },
  )
  const advanceTo = (ms: number) => {
    while (armed && armed.atMs <= ms) {
      const { atMs, callback } = armed
      armed = null
      now = Math.max(now, atMs)
      callback()
    }
    now = Math.max(now, ms)
  }
  return { timers, advanceTo, now: () => now, armed: () => armed !== null }
}

describe('due timers', () => {
  test('fire each at its time, whatever the order in which they came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 100 }), (instants) => {
        const { timers, advanceTo, now } = manualTime()
        const fired: [number, number][] = []
        for (const atMs of instants) timers.add(atMs, () => fired.push([atMs, now()]))
        advanceTo(300_000)
        expect(fired).toEqual(instants.toSorted((a, b) => a - b).map((atMs) => [atMs, atMs]))
      }),
    )
  })

  test('never fire early when their timer does', () => {
    const { timers, advanceTo } = manualTime()
    const fired: string[] = []
    timers.add(100.4, () => fired.push('100.4'))
    advanceTo(100)
    expect(fired).toEqual([])
    advanceTo(101)
    expect(fired).toEqual(['100.4'])
  })

  test('fire at the next turn what is past already', () => {
    const { timers, advanceTo, now } = manualTime()
    advanceTo(1000)
    let firedAt: number | null = null
    timers.add(10, () => {
      firedAt = now()
    })
    expect(firedAt).toBeNull()
    advanceTo(1000)
    expect(firedAt).toBe(1000)
  })

  test('do not fire what was taken back', () => {
    const { timers, advanceTo, armed } = manualTime()
    const fired: number[] = []
    const cancel = timers.add(10, () => fired.push(10))
    timers.add(20, () => fired.push(20))
    cancel()
    advanceTo(30)
    expect(fired).toEqual([20])
    expect(armed()).toBe(false)
  })

  test('end a wait with the reason of its signal', async () => {
    const { timers } = manualTime()
    const stop = new AbortController()
    const wait = timers.wait(1000, stop.signal)
    stop.abort(new Error('let go'))
    await expect(wait).rejects.toThrow('let go')
    await expect(timers.wait(1000, stop.signal)).rejects.toThrow('let go')
  })

  test('hold nothing after they were closed', () => {
    const { timers, advanceTo, armed } = manualTime()
    const fired: number[] = []
    timers.add(10, () => fired.push(10))
    timers.close()
    expect(armed()).toBe(false)
    advanceTo(100)
    expect(fired).toEqual([])
  })
})
