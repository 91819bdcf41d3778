import type {
  Bounds,
  MaintenanceWindowBody,
  MaintenanceWindowFilter,
} from '../contract/resources/maintenance-window.ts'
import type { Fault } from '../lib/find-faults.ts'
import type { TaggedMaintenance } from './maintenance.ts'

const dayMs = 86_400_000
const calendarDate = /^\d{4}-\d\d-\d\d$/
const zone = /(Z|[+-]\d\d:?\d\d)$/i

/** Epoch milliseconds of a date or timestamp; without a zone it is in UTC, wherever the service runs. */
function instantOf(text: string): number {
  return Date.parse(calendarDate.test(text) || zone.test(text) ? text : `${text}Z`)
}

/** The year of a time that was never set, as some clients send it. */
const unset = /^0001-/

function repeatUntilMs(repeatEndsAt: string | null): number | null {
  if (repeatEndsAt === null || repeatEndsAt === '' || unset.test(repeatEndsAt)) return null
  const ms = instantOf(repeatEndsAt)
  return calendarDate.test(repeatEndsAt) ? ms + dayMs - 1 : ms
}

/** What a window's texts mean. */
export function maintenanceOf(window: MaintenanceWindowBody): TaggedMaintenance {
  const { repeatInterval: every, repeatUnit: unit, tags } = window
  const repeats = every !== null && unit !== ''
  return {
    tags,
    startMs: instantOf(window.startsAt),
    endMs: instantOf(window.endsAt),
    repeat: repeats ? { unit, every, untilMs: repeatUntilMs(window.repeatEndsAt) } : null,
  }
}

/** What is wrong with a window whose fields are fine one by one; [] when nothing is. */
export function maintenanceWindowFaults(window: MaintenanceWindowBody): Fault[] {
  const { startsAt, endsAt, repeatEndsAt, repeatInterval, repeatUnit } = window
  const startMs = instantOf(startsAt)
  const untilMs = repeatUntilMs(repeatEndsAt)
  const faults: Fault[] = []
  if (instantOf(endsAt) <= startMs) {
    faults.push({ path: 'endsAt', text: `"endsAt" must be after "startsAt" (${startsAt}), was ${endsAt}` })
  }
  if (repeatInterval !== null && repeatUnit === '') {
    const text = '"repeatUnit" must be one of ["DAY", "WEEK", "MONTH"] when "repeatInterval" is given'
    faults.push({ path: 'repeatUnit', text })
  }
  if (untilMs !== null && untilMs < startMs) {
    const text = `"repeatEndsAt" must not be before "startsAt" (${startsAt}), was ${repeatEndsAt}`
    faults.push({ path: 'repeatEndsAt', text })
  }
  return faults
}

const within = (ms: number, { gt, gte, lt, lte }: Bounds = {}): boolean =>
  (gt === undefined || ms > instantOf(gt)) &&
  (gte === undefined || ms >= instantOf(gte)) &&
  (lt === undefined || ms < instantOf(lt)) &&
  (lte === undefined || ms <= instantOf(lte))

/** Whether the first occurrence of a window starts and ends within these bounds. */
export function isBetween(
  window: MaintenanceWindowBody,
  { startsAt, endsAt }: MaintenanceWindowFilter,
): boolean {
  return within(instantOf(window.startsAt), startsAt) && within(instantOf(window.endsAt), endsAt)
}
