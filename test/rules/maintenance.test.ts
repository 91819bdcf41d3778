import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { MaintenanceWindowBody } from '../../src/contract/resources/maintenance-window.ts'
import { inMaintenance, underMaintenance } from '../../src/rules/maintenance.ts'
import { maintenanceOf } from '../../src/rules/maintenance-window.ts'

const window = (over: Partial<MaintenanceWindowBody> = {}) =>
  maintenanceOf({
    name: 'w',
    tags: ['db'],
    startsAt: '2026-03-10T22:00:00Z',
    endsAt: '2026-03-11T02:00:00Z',
    repeatInterval: null,
    repeatUnit: 'DAY',
    repeatEndsAt: null,
    ...over,
  })

type Row = [string, boolean]
const at = (text: string) => Date.parse(text)

function holds(over: Partial<MaintenanceWindowBody>, rows: Row[]): void {
  const read = rows.map(([text]) => [text, inMaintenance(window(over), at(text))])
  expect(read).toEqual(rows)
}

describe('a window that does not repeat', () => {
  test('is open from its start up to, not including, its end', () => {
    holds({}, [
      ['2026-03-10T21:59:59.999Z', false],
      ['2026-03-10T22:00:00.000Z', true],
      ['2026-03-11T01:59:59.999Z', true],
      ['2026-03-11T02:00:00.000Z', false],
      ['2026-03-11T22:00:00.000Z', false],
    ])
  })

  test('is in UTC: a date is its midnight, a time without a zone no local time, one with an offset what it says', () => {
    vi.stubEnv('TZ', 'America/New_York')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(new Date('2026-03-10T22:00').toISOString()).toBe('2026-03-11T02:00:00.000Z')
    holds({ startsAt: '2026-03-10', endsAt: '2026-03-11' }, [
      ['2026-03-09T23:59:59.999Z', false],
      ['2026-03-10T00:00:00.000Z', true],
      ['2026-03-10T23:59:59.999Z', true],
      ['2026-03-11T00:00:00.000Z', false],
    ])
    holds({ startsAt: '2026-03-10T22:00', endsAt: '2026-03-10 23:00:00' }, [
      ['2026-03-10T21:59:59.999Z', false],
      ['2026-03-10T22:00:00.000Z', true],
      ['2026-03-10T23:00:00.000Z', false],
    ])
    holds({ startsAt: '2026-03-10T22:00:00+02:00', endsAt: '2026-03-10T23:00:00+0200' }, [
      ['2026-03-10T19:59:59.999Z', false],
      ['2026-03-10T20:00:00.000Z', true],
      ['2026-03-10T21:00:00.000Z', false],
    ])
  })

  test.each([
    { repeatInterval: null, repeatUnit: 'WEEK' },
    { repeatInterval: null, repeatUnit: '' },
  ] as const)('has no second occurrence with %j', (over) => {
    holds(over, [
      ['2026-03-10T23:00:00Z', true],
      ['2026-03-17T23:00:00Z', false],
    ])
  })
})

describe('a window that repeats', () => {
  test('by days, is open every so many days from the first, across the change of clocks', () => {
    holds({ repeatInterval: 3, repeatUnit: 'DAY' }, [
      ['2026-03-07T23:00:00Z', false],
      ['2026-03-11T22:00:00Z', false],
      ['2026-03-12T22:00:00Z', false],
      ['2026-03-13T21:59:59Z', false],
      ['2026-03-13T22:00:00Z', true],
      ['2026-03-14T01:59:59Z', true],
      ['2026-03-14T02:00:00Z', false],
      ['2026-03-31T22:00:00Z', true],
      ['2026-03-31T21:59:59Z', false],
    ])
  })

  test('by weeks, is open on the weekday of the first', () => {
    holds({ repeatInterval: 2, repeatUnit: 'WEEK' }, [
      ['2026-03-17T23:00:00Z', false],
      ['2026-03-24T21:59:59Z', false],
      ['2026-03-24T22:00:00Z', true],
      ['2027-03-09T22:00:00Z', true],
      ['2027-03-10T22:00:00Z', false],
    ])
  })

  test('by months, falls back from the 31st to the last day, and returns to the 31st', () => {
    const over = {
      startsAt: '2026-01-31T10:00:00Z',
      endsAt: '2026-01-31T11:00:00Z',
      repeatInterval: 1,
      repeatUnit: 'MONTH',
    } as const
    holds(over, [
      ['2026-02-28T09:59:59Z', false],
      ['2026-02-28T10:30:00Z', true],
      ['2026-03-01T10:30:00Z', false],
      ['2026-03-03T10:30:00Z', false],
      ['2026-03-28T10:30:00Z', false],
      ['2026-03-31T10:30:00Z', true],
      ['2026-04-30T10:30:00Z', true],
      ['2026-05-30T10:30:00Z', false],
      ['2026-05-31T10:30:00Z', true],
      ['2028-02-28T10:30:00Z', false],
      ['2028-02-29T10:30:00Z', true],
      ['2100-02-28T10:30:00Z', true],
    ])
  })

  test('by months, counts them from the first occurrence, over the end of a year', () => {
    const over = {
      startsAt: '2026-11-30T00:00:00Z',
      endsAt: '2026-12-01T00:00:00Z',
      repeatInterval: 3,
      repeatUnit: 'MONTH',
    } as const
    holds(over, [
      ['2026-12-30T12:00:00Z', false],
      ['2027-01-30T12:00:00Z', false],
      ['2027-02-27T23:59:59Z', false],
      ['2027-02-28T00:00:00Z', true],
      ['2027-02-28T23:59:59Z', true],
      ['2027-03-01T00:00:00Z', false],
      ['2027-05-30T12:00:00Z', true],
      ['2027-05-31T12:00:00Z', false],
    ])
  })

  test('from the 29th of February, falls on the 28th of other years', () => {
    const over = {
      startsAt: '2024-02-29',
      endsAt: '2024-03-01',
      repeatInterval: 12,
      repeatUnit: 'MONTH',
    } as const
    holds(over, [
      ['2025-02-28T12:00:00Z', true],
      ['2025-03-01T12:00:00Z', false],
      ['2028-02-28T12:00:00Z', false],
      ['2028-02-29T12:00:00Z', true],
    ])
  })

  test('and lasts longer than its interval, is open without a gap, and after the last for as long as that lasts', () => {
    const over = {
      startsAt: '2026-03-10T00:00:00Z',
      endsAt: '2026-03-12T12:00:00Z',
      repeatInterval: 1,
      repeatUnit: 'DAY',
      repeatEndsAt: '2026-03-20T00:00:00Z',
    } as const
    holds(over, [
      ['2026-03-09T23:59:59Z', false],
      ['2026-03-12T18:00:00Z', true],
      ['2026-03-20T00:00:00Z', true],
      ['2026-03-22T11:59:59Z', true],
      ['2026-03-22T12:00:00Z', false],
    ])
  })

  test('starts no occurrence after repeatEndsAt, of a date after that day; one that has started is not cut', () => {
    const repeats = { repeatInterval: 1, repeatUnit: 'DAY' } as const
    const rows = (last: boolean): Row[] => [
      ['2026-03-11T23:00:00Z', true],
      ['2026-03-12T22:00:00Z', last],
      ['2026-03-13T01:59:59Z', last],
      ['2026-03-13T22:00:00Z', false],
      ['2027-03-13T22:00:00Z', false],
    ]
    holds({ ...repeats, repeatEndsAt: '2026-03-12T22:00:00Z' }, rows(true))
    holds({ ...repeats, repeatEndsAt: '2026-03-12T21:59:59Z' }, rows(false))
    holds({ ...repeats, repeatEndsAt: '2026-03-12' }, rows(true))
    holds({ ...repeats, repeatEndsAt: '2026-03-11' }, rows(false))
  })

  test.each(['2026-03-10T22:00:00Z', '2026-01-01'])(
    'has its first occurrence when repeating ends at %s',
    (repeatEndsAt) => {
      holds({ repeatInterval: 1, repeatEndsAt }, [
        ['2026-03-11T01:00:00Z', true],
        ['2026-03-11T23:00:00Z', false],
      ])
    },
  )

  test.each([null, '', '0001-01-01T00:00:00Z'])(
    'goes on for ever with the repeatEndsAt %j',
    (repeatEndsAt) => {
      holds({ repeatInterval: 1, repeatEndsAt }, [['2126-03-10T23:00:00Z', true]])
    },
  )

  /** Occurrence by occurrence, as a person would with a calendar. */
  function openByCounting(over: Partial<MaintenanceWindowBody>, every: number, instantMs: number): boolean {
    const { startMs, endMs } = window(over)
    for (let count = 0; ; count += 1) {
      const start = new Date(startMs)
      const month = start.getUTCMonth() + count * every
      const lastDay = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate()
      const day = Math.min(start.getUTCDate(), lastDay)
      const occurrence = Date.UTC(start.getUTCFullYear(), month, day) + (startMs % 86_400_000)
      if (occurrence > instantMs) return false
      if (instantMs < occurrence + endMs - startMs) return true
    }
  }

  test('by months, is open when counting the occurrences one by one says so', () => {
    const from = at('2023-10-01T00:00:00Z')
    const hours = fc.integer({ min: 0, max: 24 * 200 })
    const lasting = fc.integer({ min: 1, max: 24 * 75 })
    const later = fc.integer({ min: 0, max: 24 * 1500 })
    const hourMs = 3_600_000
    fc.assert(
      fc.property(hours, lasting, later, fc.integer({ min: 1, max: 5 }), (start, length, after, every) => {
        const startMs = from + start * hourMs
        const over = {
          startsAt: new Date(startMs).toISOString(),
          endsAt: new Date(startMs + length * hourMs).toISOString(),
          repeatInterval: every,
          repeatUnit: 'MONTH',
        } as const
        const instantMs = startMs + after * hourMs
        expect(inMaintenance(window(over), instantMs)).toBe(openByCounting(over, every, instantMs))
      }),
      { numRuns: 500 },
    )
  })
})

describe('a check', () => {
  const open = at('2026-03-10T23:00:00Z')
  const windows = [
    window({ tags: ['db', 'eu'] }),
    window({ tags: [] }),
    window({ tags: ['later'], startsAt: '2026-03-11' }),
  ]

  test.each([
    [['db'], true],
    [['other', 'eu'], true],
    [['DB'], false],
    [['later'], false],
    [['other'], false],
    [[], false],
  ])('with the tags %j is under maintenance: %j', (tags, expected) => {
    expect(underMaintenance(windows, new Set(tags), open)).toBe(expected)
    expect(underMaintenance(windows, new Set(tags), at('2026-03-10T21:00:00Z'))).toBe(false)
    expect(underMaintenance([], new Set(tags), open)).toBe(false)
  })
})
