import fc from 'fast-check'
import { expect, test } from 'vitest'
import { figuresOf } from '../../src/rules/icmp-figures.ts'

const echo = (sequence: number, rttMs: number | null) => ({
  sequence,
  rttMs,
  ttl: rttMs === null ? null : 57,
})

test('the figures of replies are those that ping prints', () => {
  expect(figuresOf([echo(1, 1), echo(2, null), echo(3, 3)])).toEqual({
    packetsSent: 3,
    packetsReceived: 2,
    packetLoss: 33.33,
    latency: { avg: 2, min: 1, max: 3, stdDev: 1 },
    pingResults: [
      { sequence: 1, success: true, rtt: 1, ttl: 57 },
      { sequence: 2, success: false, rtt: null, ttl: null },
      { sequence: 3, success: true, rtt: 3, ttl: 57 },
    ],
  })
})

test('without a reply there is no latency, and without a request no loss', () => {
  expect(figuresOf([echo(1, null)])).toMatchObject({ packetLoss: 100, latency: null })
  expect(figuresOf([])).toMatchObject({ packetsSent: 0, packetLoss: null, latency: null })
})

test('the average lies between the smallest and the largest, and the deviation within them', () => {
  const times = fc.array(
    fc.integer({ min: 0, max: 2_000_000 }).map((us) => us / 1000),
    { minLength: 1, maxLength: 50 },
  )
  fc.assert(
    fc.property(times, (all) => {
      const { latency } = figuresOf(all.map((rttMs, index) => echo(index + 1, rttMs)))
      if (latency === null) throw new Error('no latency')
      const { avg, min, max, stdDev } = latency
      // Rounded to the microsecond.
      return avg >= min - 0.001 && avg <= max + 0.001 && stdDev >= 0 && stdDev <= max - min + 0.001
    }),
  )
})
