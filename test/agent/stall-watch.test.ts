import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { StallWatch } from '../../src/agent/stall-watch.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const tickMs = 50

/** A watch whose time passes as told: `run` with a loop that turns, `stall` with one that stands still. */
function watch() {
  let ms = 0
  let wallMs = 1_700_000_000_000
  const stalls = new StallWatch(
    () => ms,
    () => wallMs,
  )
  onTestFinished(() => stalls.close())
  const stall = (forMs: number) => {
    ms += forMs
    wallMs += forMs
  }
  const tick = () => vi.advanceTimersByTime(tickMs)
  const run = (forMs: number) => {
    for (let left = forMs; left > 0; left -= tickMs) {
      stall(Math.min(tickMs, left))
      tick()
    }
  }
  const jump = (wallByMs: number) => {
    wallMs += wallByMs
  }
  return { stalls, stall, tick, run, jump, now: () => ms }
}

describe('a loop that stood still', () => {
  test('is noticed before its own timer could run', () => {
    const { stalls, stall } = watch()
    stall(1500 + tickMs)
    expect(stalls.stalledMsSince(0)).toBe(1500)
  })

  test('is counted once, however often it is asked', () => {
    const { stalls, stall, tick, run } = watch()
    stall(1500 + tickMs)
    stalls.stalledMsSince(0)
    tick()
    run(1000)
    expect(stalls.stalledMsSince(0)).toBe(1500)
  })

  test('several times is counted in all', () => {
    const { stalls, stall, tick, run } = watch()
    for (let times = 0; times < 4; times += 1) {
      stall(300 + tickMs)
      tick()
      run(200)
    }
    expect(stalls.stalledMsSince(0)).toBe(1200)
  })

  test('counts only as far as it lies between the two instants', () => {
    const { stalls, run, stall, tick } = watch()
    run(1000)
    stall(1000 + tickMs)
    tick()
    run(1000)
    // It stood from 1050 to 2050.
    expect(stalls.stalledMsSince(1500)).toBe(550)
    expect(stalls.stalledMsSince(0, 1500)).toBe(450)
    expect(stalls.stalledMsSince(1500, 1600)).toBe(100)
    expect(stalls.stalledMsSince(2050)).toBe(0)
    expect(stalls.stalledMsSince(0, 1050)).toBe(0)
  })

  test('is forgotten after a minute', () => {
    const { stalls, stall, tick, run } = watch()
    stall(1000 + tickMs)
    tick()
    run(59_000)
    expect(stalls.stalledMsSince(0)).toBe(1000)
    run(2000)
    expect(stalls.stalledMsSince(0)).toBe(0)
  })
})

test('a loop that comes late all the time, by less than 50 ms, does not stand still', () => {
  const { stalls, stall, tick } = watch()
  for (let turns = 0; turns < 500; turns += 1) {
    stall(tickMs + 49)
    tick()
  }
  expect(stalls.stalledMsSince(0)).toBe(0)
})

test('a machine that slept stood still, though its monotonic clock slept as well', () => {
  const { stalls, run, jump, now } = watch()
  run(1000)
  const begun = now()
  run(100)
  jump(3_600_000)
  run(100)
  expect(stalls.stalledMsSince(begun)).toBe(3_600_000)
  expect(stalls.stalledMsSince(now())).toBe(0)
})

test.each([-3_600_000, 900])('a wall clock that is corrected by %i ms is no sleep', (byMs) => {
  const { stalls, run, jump } = watch()
  jump(byMs)
  run(100)
  expect(stalls.stalledMsSince(0)).toBe(0)
})

test('never counts more than it stood still, and less by a tick at most', () => {
  const times = fc.array(fc.record({ runMs: fc.nat(300), stallMs: fc.integer({ min: 100, max: 5000 }) }), {
    maxLength: 10,
  })
  fc.assert(
    fc.property(times, (turns) => {
      const { stalls, run, stall, tick } = watch()
      for (const { runMs, stallMs } of turns) {
        run(runMs)
        stall(stallMs)
        tick()
      }
      const stalledMs = turns.reduce((sum, { stallMs }) => sum + stallMs, 0)
      expect(stalls.stalledMsSince(0)).toBeLessThanOrEqual(stalledMs)
      expect(stalls.stalledMsSince(0)).toBeGreaterThanOrEqual(stalledMs - tickMs * turns.length)
      stalls.close()
    }),
  )
})
