import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frequencies } from '../../src/contract/checks/check-fields.ts'
import {
  dueBetween,
  firstDueAfter,
  frequencyOffsetFault,
  intervalMsOf,
  phaseMsOf,
  slotsBetween,
} from '../../src/rules/schedule.ts'

const everyPair = frequencies.flatMap((frequency) =>
  [undefined, ...Array.from({ length: 700 }, (_, index) => index + 1)]
    .filter((offset) => frequencyOffsetFault(frequency, offset) === null)
    .map((offset) => ({ frequency, offset })),
)

const anySchedule = fc
  .record({ id: fc.uuid(), pair: fc.constantFrom(...everyPair) })
  .map(({ id, pair: { frequency, offset } }) => ({
    intervalMs: intervalMsOf(frequency, offset),
    phaseMs: phaseMsOf(id, frequency, offset),
  }))
const anyInstant = fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 })

describe('an interval', () => {
  test.each([
    [0, 10, 10_000],
    [0, 30, 30_000],
    [1, undefined, 60_000],
    [5, 7, 300_000],
    [1440, undefined, 86_400_000],
  ])('of frequency %s and offset %s is %s ms', (frequency, offset, intervalMs) => {
    expect(intervalMsOf(frequency, offset)).toBe(intervalMs)
  })

  test('is never guessed where the offset is missing', () => {
    expect(() => intervalMsOf(0, undefined)).toThrow(expect.objectContaining({ code: 'SCHEDULE_INVALID' }))
  })
})

describe('a frequencyOffset', () => {
  test.each([
    [0, 10],
    [0, 20],
    [0, 30],
    [1, undefined],
    [1, 1],
    [1, 10],
    [60, 600],
    [120, 2],
    [1440, 24],
    [1440, undefined],
  ])('fits frequency %s when it is %s', (frequency, offset) => {
    expect(frequencyOffsetFault(frequency, offset)).toBeNull()
  })

  test.each([
    [0, 15, '"frequencyOffset" must be one of [10, 20, 30] when "frequency" is 0, was 15'],
    [0, undefined, '"frequencyOffset" must be one of [10, 20, 30] when "frequency" is 0, was left out'],
    [1, 11, '"frequencyOffset" must be a whole number from 1 to 10 when "frequency" is 1, was 11'],
    [1, 0, '"frequencyOffset" must be a whole number from 1 to 10 when "frequency" is 1, was 0'],
    [2, 1.5, '"frequencyOffset" must be a whole number from 1 to 20 when "frequency" is 2, was 1.5'],
    [60, 601, '"frequencyOffset" must be a whole number from 1 to 600 when "frequency" is 60, was 601'],
    [120, 3, '"frequencyOffset" must be a whole number from 1 to 2 when "frequency" is 120, was 3'],
  ])('is refused with frequency %s when it is %s', (frequency, offset, fault) => {
    expect(frequencyOffsetFault(frequency, offset)).toBe(fault)
  })
})

describe('a phase', () => {
  // A change of these figures would move the ticks of every check of every installation at the next upgrade.
  test.each([
    ['11111111-1111-4111-8111-111111111111', 10, undefined, 494_606],
    ['11111111-1111-4111-8111-111111111111', 10, 3, 14_606],
    ['f10d711f-cd16-4303-91ce-741c92586b4a', 0, 30, 15_968],
    ['f10d711f-cd16-4303-91ce-741c92586b4a', 1440, 24, 86_355_968],
  ])('of check %s at frequency %s and offset %s stays what it is', (id, frequency, offset, phaseMs) => {
    expect(phaseMsOf(id, frequency, offset)).toBe(phaseMs)
  })

  test.each([
    [60_000, 1, undefined],
    [10_000, 0, 10],
    [86_400_000, 1440, undefined],
  ])('spreads 10,000 checks evenly over %s ms', (intervalMs, frequency, offset) => {
    const slices = new Array<number>(20).fill(0)
    for (let count = 0; count < 10_000; count += 1) {
      const slice = Math.floor((phaseMsOf(randomUUID(), frequency, offset) / intervalMs) * slices.length)
      slices[slice] = (slices[slice] ?? 0) + 1
    }
    // 500 each are expected, with a standard deviation of 22.
    for (const slice of slices) expect(Math.abs(slice - 500)).toBeLessThan(140)
  })

  test.each([
    [1, 1, 0, 6000],
    [1, 10, 54_000, 60_000],
    [10, 3, 12_000, 18_000],
    [120, 2, 3_600_000, 7_200_000],
    [1440, 24, 82_800_000, 86_400_000],
  ])('of frequency %s and offset %s is from %s ms to below %s ms', (frequency, offset, from, below) => {
    const phases = Array.from({ length: 500 }, () => phaseMsOf(randomUUID(), frequency, offset))
    expect(Math.min(...phases)).toBeGreaterThanOrEqual(from)
    expect(Math.max(...phases)).toBeLessThan(below)
    expect(new Set(phases).size).toBeGreaterThan(400)
  })

  test('lies within the interval for every allowed pair', () => {
    fc.assert(
      fc.property(anySchedule, ({ intervalMs, phaseMs }) => {
        expect(phaseMs).toBeGreaterThanOrEqual(0)
        expect(phaseMs).toBeLessThan(intervalMs)
      }),
    )
  })
})

describe('ticks', () => {
  const schedule = { intervalMs: 10_000, phaseMs: 3000 }

  test.each([
    [2999, 3000],
    [3000, 13_000],
    [12_999.5, 13_000],
  ])('after %s ms begin at %s ms', (afterMs, dueAt) => {
    expect(firstDueAfter(schedule, afterMs)).toBe(dueAt)
  })

  test.each([
    [3000, 23_000, 100, [3000, 13_000, 23_000]],
    [3001, 22_999, 100, [13_000]],
    [3000, 23_000, 2, [3000, 13_000]],
    [3001, 12_999, 100, []],
    [23_000, 3000, 100, []],
    [3000, 23_000, 0, []],
  ])('from %s to %s ms, at most %s of them, are %s', (fromMs, untilMs, limit, expected) => {
    expect(dueBetween(schedule, fromMs, untilMs, limit)).toEqual(expected)
  })

  test('are all in phase, in order, and counted without being listed', () => {
    fc.assert(
      fc.property(
        anySchedule,
        anyInstant,
        fc.integer({ min: 0, max: 3_600_000 }),
        (schedule, from, length) => {
          const due = dueBetween(schedule, from, from + length, Number.POSITIVE_INFINITY)
          expect(due.filter((dueAt) => dueAt % schedule.intervalMs !== schedule.phaseMs)).toEqual([])
          expect(due.filter((dueAt) => dueAt < from || dueAt > from + length)).toEqual([])
          expect(due).toEqual([...new Set(due)].toSorted((one, other) => one - other))
          expect(slotsBetween(schedule, from, from + length)).toBe(due.length)
        },
      ),
    )
  })

  test('are neither lost nor repeated between windows that follow each other', () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 10 })
    fc.assert(
      fc.property(anySchedule, anyInstant, cuts, (schedule, from, cuts) => {
        const ends = [...cuts.toSorted((one, other) => one - other), 600_000].map((cut) => from + cut)
        const windows = ends.flatMap((until, index) => {
          const begin = index === 0 ? from : (ends[index - 1] ?? from) + 1
          return dueBetween(schedule, begin, until, 1000)
        })
        expect(windows).toEqual(dueBetween(schedule, from, from + 600_000, 1000))
      }),
    )
  })

  test('are the same whether they are planned a few at a time or walked one by one', () => {
    fc.assert(
      fc.property(anySchedule, anyInstant, fc.integer({ min: 1, max: 7 }), (schedule, from, limit) => {
        const due = dueBetween(schedule, from, Number.POSITIVE_INFINITY, limit)
        const walked: number[] = []
        for (let at = from - 1; walked.length < limit; at = walked.at(-1) ?? at) {
          walked.push(firstDueAfter(schedule, at))
        }
        expect(due).toEqual(walked)
      }),
    )
  })
})
