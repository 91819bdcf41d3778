import { Type } from 'typebox'
import { Nullable } from './schema.ts'

/** A calendar date of ISO 8601 (service.md, notation). */
export const DateText = Type.String({ description: 'calendar date of ISO 8601' })
/** A timestamp of ISO 8601 (service.md, notation). */
export const DateTimeText = Type.String({ description: 'timestamp of ISO 8601' })

/** `2026-04-30` of an instant in epoch milliseconds. */
export const dateText = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
export const dateTimeText = (ms: number): string => new Date(ms).toISOString()
export const dateTextOrNull = (ms: number | null): string | null => (ms === null ? null : dateText(ms))
export const dateTimeTextOrNull = (ms: number | null): string | null =>
  ms === null ? null : dateTimeText(ms)

export const timestamps = { created_at: DateText, updated_at: Nullable(DateTimeText) }

/** A point in time in a query: seconds or milliseconds since the epoch, or ISO 8601. */
export const InstantQuery = Type.String({ maxLength: 40 })

const firstMillisecondValue = 100_000_000_000

/** Epoch milliseconds of a query's point in time; null when it is none. */
export function parseInstant(text: string): number | null {
  if (/^\d{1,16}$/.test(text)) {
    const value = Number(text)
    return value < firstMillisecondValue ? value * 1000 : value
  }
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? null : ms
}
