import { parseInstant } from '../../contract/wire-time.ts'
import type { TimeWindow } from '../../storage/time-window.ts'
import { inputInvalid } from './api-error.ts'

/** The last that is told in four digits of a year: an end of a window that is days after it can be told as well. */
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

interface WindowQuery {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

function instant(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = parseInstant(text)
  if (ms !== null && ms <= lastInstant) return ms
  throw inputInvalid(
    [{ path: name, text: `"${name}" must be a UNIX timestamp or an ISO 8601 date` }],
    'query',
  )
}

/**
 * The window that a query asks for. One end alone is `presetMs` away from the other; without any, the window ends with
 * the instant that follows `now`. @throws ApiError 400
 */
export function windowOf(
  query: WindowQuery,
  now: number,
  presetMs: number,
  [fromName, toName]: readonly [string, string] = ['from', 'to'],
): TimeWindow {
  const from = instant(fromName, query.from)
  const to = instant(toName, query.to) ?? (from === null ? now + 1 : from + presetMs)
  if (from === null) return { from: to - presetMs, to }
  if (from <= to) return { from, to }
  throw inputInvalid([{ path: fromName, text: `"${fromName}" must not be after "${toName}"` }], 'query')
}
