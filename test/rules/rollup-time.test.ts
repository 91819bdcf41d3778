import fc from 'fast-check'
import { expect, test } from 'vitest'
import { intervalsOf, piecesOfIntervals, quickRange } from '../../src/rules/rollup-ranges.ts'
import { dayMs, hourMs, isLate, isRipe, piecesOf } from '../../src/rules/rollup-time.ts'

const minuteMs = 60_000
const day = Date.UTC(2026, 2, 4)
const at = (hours: number, minutes = 0) => day + hours * hourMs + minutes * minuteMs

test('pieces cover a range once, in order, with whole spans that are rolled up and nothing else', () => {
  const instant = fc.integer({ min: day, max: day + 5 * dayMs })
  fc.assert(
    fc.property(instant, instant, fc.option(instant), (a, b, rolledUntil) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)]
      const until = rolledUntil === null ? null : rolledUntil - (rolledUntil % hourMs)
      let end = from
      for (const piece of piecesOf({ from, to, rolledUntil: until })) {
        expect(piece.from).toBe(end)
        expect(piece.to).toBeGreaterThan(piece.from)
        end = piece.to
        if (piece.source === 'result') continue
        const spanMs = piece.source === 'day' ? dayMs : hourMs
        expect([piece.from % spanMs, piece.to % spanMs]).toEqual([0, 0])
        expect(piece.to).toBeLessThanOrEqual(until ?? -1)
      }
      expect(end).toBe(to)
    }),
  )
})

test('a month is read from its days', () => {
  const range = { from: day, to: day + 30 * dayMs }
  expect(piecesOf({ ...range, rolledUntil: range.to })).toEqual([{ ...range, source: 'day' }])
})

test('the last 24 hours are the rest of an hour, hours, and what is not rolled up', () => {
  expect(piecesOf({ from: at(0, 30), to: at(24, 30), rolledUntil: at(23) })).toEqual([
    { from: at(0, 30), to: at(1), source: 'result' },
    { from: at(1), to: at(23), source: 'hour' },
    { from: at(23), to: at(24, 30), source: 'result' },
  ])
})

test('what comes for an hour is in time for its rollup or late, never neither', () => {
  for (let minutes = 0; minutes < 30; minutes += 1) {
    const storedAt = at(1, minutes)
    expect(isLate(at(0, 59), storedAt) || !isRipe(at(0), storedAt)).toBe(true)
  }
  expect(isLate(at(0, 59), at(1, 2))).toBe(false)
  expect(isRipe(at(0), at(1, 10))).toBe(true)
})

test.each([
  ['last24Hours', '2026-03-03T15:30', '2026-03-04T15:30'],
  ['last7Days', '2026-02-25T15:30', '2026-03-04T15:30'],
  ['last30Days', '2026-02-02T15:30', '2026-03-04T15:30'],
  ['thisWeek', '2026-03-02T00:00', '2026-03-04T15:30'],
  ['lastWeek', '2026-02-23T00:00', '2026-03-02T00:00'],
  ['thisMonth', '2026-03-01T00:00', '2026-03-04T15:30'],
  ['lastMonth', '2026-02-01T00:00', '2026-03-01T00:00'],
] as const)('on a Wednesday %s is from %s to %s', (name, from, to) => {
  const now = Date.parse('2026-03-04T15:30Z')
  expect(quickRange(name, now)).toEqual({ from: Date.parse(`${from}Z`), to: Date.parse(`${to}Z`) })
})

test('last month of a January is the December before it', () => {
  const { from, to } = quickRange('lastMonth', Date.UTC(2026, 0, 15))
  expect([from, to]).toEqual([Date.UTC(2025, 11), Date.UTC(2026, 0)])
})

test('intervals begin at midnight, and the first and the last are cut to the range', () => {
  const range = { from: at(1, 30), to: at(13) }
  const all = intervalsOf(range, 6 * hourMs, { offset: 0, limit: 10 })
  expect(all).toEqual([
    { from: at(1, 30), to: at(6) },
    { from: at(6), to: at(12) },
    { from: at(12), to: at(13) },
  ])
  expect(intervalsOf(range, 6 * hourMs, { offset: 1, limit: 1 })).toEqual([{ from: at(6), to: at(12) }])
  expect(intervalsOf(range, 6 * hourMs, { offset: 3, limit: 1 })).toEqual([])
})

test('a year of days is read in one piece', () => {
  const range = { from: day, to: day + 100 * dayMs }
  const intervals = intervalsOf(range, dayMs, { offset: 0, limit: 100 })
  expect(piecesOfIntervals(intervals, range.to)).toEqual([{ ...range, source: 'day' }])
})

test('intervals that are no whole hours take single results where an hour would lie in two of them', () => {
  const intervals = intervalsOf({ from: at(0), to: at(3) }, 90 * minuteMs, { offset: 0, limit: 10 })
  expect(piecesOfIntervals(intervals, at(24))).toEqual([
    { from: at(0), to: at(1), source: 'hour' },
    { from: at(1), to: at(2), source: 'result' },
    { from: at(2), to: at(3), source: 'hour' },
  ])
})
