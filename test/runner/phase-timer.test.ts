import { describe, expect, test } from 'vitest'
import { PhaseTimer } from '../../src/runner/phase-timer.ts'

function manualClock() {
  let ms = 0
  return {
    clock: { now: () => 1_700_000_000_000, monotonicMs: () => ms },
    pass: (more: number) => {
      ms += more
    },
  }
}

describe('PhaseTimer', () => {
  test('gives the time of each phase in whole microseconds, and null for one not reached', () => {
    const { clock, pass } = manualClock()
    const timer = new PhaseTimer(clock)
    pass(50)
    timer.enter('connect')
    pass(1.5)
    timer.enter('send')
    timer.enter('firstByte')
    pass(2.25)
    timer.count()
    expect(timer.timings()).toEqual({
      startedAt: 1_700_000_000_000,
      totalUs: 3750,
      phasesUs: { dns: null, connect: 1500, tls: null, send: 0, firstByte: 2250, download: null },
    })
  })

  test("gives the time of each hop, and their sums; what passes between two hops is the later one's", () => {
    const { clock, pass } = manualClock()
    const timer = new PhaseTimer(clock)
    const hops = [1, 10].map((ms) => {
      timer.enter('connect')
      pass(ms)
      timer.enter('download')
      pass(ms)
      timer.count()
      const hop = timer.endHop()
      expect(timer.phase).toBeNull()
      pass(5)
      return hop
    })
    const untouched = { dns: null, tls: null, send: null, firstByte: null }
    expect(hops).toEqual([
      { startedUs: 0, totalUs: 2000, phasesUs: { ...untouched, connect: 1000, download: 1000 } },
      { startedUs: 2000, totalUs: 25_000, phasesUs: { ...untouched, connect: 15_000, download: 10_000 } },
    ])
    expect(timer.timings()).toMatchObject({
      totalUs: 27_000,
      phasesUs: { ...untouched, connect: 16_000, download: 11_000 },
    })
  })

  test('adds up to the total exactly, however the clock rounds', () => {
    const { clock, pass } = manualClock()
    const timer = new PhaseTimer(clock)
    for (let hop = 0; hop < 1000; hop++) {
      timer.enter('connect')
      pass(0.000_37)
      timer.enter('download')
      pass(0.000_41)
      timer.count()
      timer.endHop()
    }
    const { totalUs, phasesUs } = timer.timings()
    expect((phasesUs.connect ?? 0) + (phasesUs.download ?? 0)).toBe(totalUs)
    expect(totalUs).toBe(780)
  })

  test('stands still after the last byte', () => {
    const { clock, pass } = manualClock()
    const timer = new PhaseTimer(clock)
    timer.enter('download')
    pass(3)
    timer.count()
    pass(1000)
    expect(timer.timings().totalUs).toBe(3000)
  })
})
