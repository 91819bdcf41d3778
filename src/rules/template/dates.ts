import { engine } from './engine.ts'

const units = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const
type Unit = (typeof units)[number]

const unitMs = { second: 1000, minute: 60_000, hour: 3_600_000 } as const
const words = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
]
const count = `(\\d+|an?|${words.join('|')})`
const unit = `(${units.join('|')})`
const ago = new RegExp(`^${count}\\s+${unit}s?\\s+ago$`)
const ahead = new RegExp(`^(?:in\\s+)?${count}\\s+${unit}s?(?:\\s+from\\s+now)?$`)
const neighbour = new RegExp(`^(last|next)\\s+${unit}$`)

const longFormat = 'MMMM DD, YYYY'

/**
 * What the helpers `date` and `moment` give: `{{date}}`, `{{date "format"}}`, `{{date "when" "format"}}`. The formats
 * are the engine's, the clock is ours. In the time zone of the process, as the engine does it.
 * @param now epoch ms
 * @throws Error where `when` is no date
 */
export function dateText([when, format]: readonly unknown[], now: number): unknown {
  if (typeof when === 'string') {
    return format == null ? show(now, when) : show(momentOf(when, now) ?? when, format)
  }
  const isNow = when === undefined || (when === null && format == null)
  return show(isNow ? now : when, format ?? (when == null ? longFormat : undefined))
}

/** Characters of a date or its format: the engine takes time quadratic in them. */
const maxLength = 200

/** Of a text that it takes for no date the engine's helper throws. */
function show(when: unknown, format: unknown): unknown {
  for (const text of [when, format]) {
    if (typeof text === 'string' && text.length > maxLength) throw new Error('a date is longer than any is')
  }
  return engine.helpers['date']?.(when, format)
}

/** Epoch ms of a phrase like `2 days ago`; null for what is none: the engine reads dates like `2020-06-15`. */
function momentOf(text: string, now: number): number | null {
  const phrase = text.trim().toLowerCase()
  switch (phrase) {
    case 'now':
      return now
    case 'today':
      return startOfDay(now)
    case 'yesterday':
      return startOfDay(shift(now, -1, 'day'))
    case 'tomorrow':
      return startOfDay(shift(now, 1, 'day'))
    default:
      return shiftedBy(phrase, now)
  }
}

function shiftedBy(phrase: string, now: number): number | null {
  const past = ago.exec(phrase)
  const [, amount, unitName] = past ?? ahead.exec(phrase) ?? []
  if (amount !== undefined) return shift(now, (past ? -1 : 1) * numberOf(amount), unitOf(unitName))
  const [, side, neighbouring] = neighbour.exec(phrase) ?? []
  return side === undefined ? null : shift(now, side === 'last' ? -1 : 1, unitOf(neighbouring))
}

function numberOf(text: string): number {
  if (text === 'a' || text === 'an') return 1
  return words.includes(text) ? words.indexOf(text) + 1 : Number(text)
}

function unitOf(text: string | undefined): Unit {
  return units.find((name) => name === text) ?? 'second'
}

function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0)
}

/** By the calendar: a month from the 31st is the last day of a shorter one. */
function shift(ms: number, amount: number, by: Unit): number {
  const date = new Date(ms)
  switch (by) {
    case 'second':
    case 'minute':
    case 'hour':
      return ms + amount * unitMs[by]
    case 'day':
      return date.setDate(date.getDate() + amount)
    case 'week':
      return date.setDate(date.getDate() + 7 * amount)
    case 'month':
      return shiftMonths(date, amount)
    case 'year':
      return shiftMonths(date, 12 * amount)
  }
}

function shiftMonths(date: Date, months: number): number {
  const day = date.getDate()
  date.setDate(1)
  date.setMonth(date.getMonth() + months)
  const lastDay = new Date(date.getFullYear(), date.getMonth() + 1, 0).getDate()
  return date.setDate(Math.min(day, lastDay))
}
