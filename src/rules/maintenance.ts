/** A maintenance window; instants are epoch milliseconds, days and months those of UTC. */
export interface MaintenanceTimes {
  readonly startMs: number
  readonly endMs: number
  /** Null when there is one occurrence only. */
  readonly repeat: MaintenanceRepeat | null
}

interface MaintenanceRepeat {
  readonly unit: 'DAY' | 'WEEK' | 'MONTH'
  /** Units from the start of one occurrence to that of the next. */
  readonly every: number
  /** The last instant at which an occurrence may start; null when they go on for ever. */
  readonly untilMs: number | null
}

/** A window and the tags of the checks and groups that it is for. */
export interface TaggedMaintenance extends MaintenanceTimes {
  readonly tags: readonly string[]
}

const dayMs = 86_400_000
const unitMs = { DAY: dayMs, WEEK: 7 * dayMs }

/**
 * Whether a window is open at an instant (semantics §8): from the start of an occurrence up to, not including, its end.
 * Every occurrence lasts as long as the first. Occurrences may overlap; since they are equally long it is enough to ask
 * the last one that has started.
 */
export function inMaintenance(window: MaintenanceTimes, instantMs: number): boolean {
  if (instantMs < window.startMs) return false
  return instantMs - lastStartMs(window, instantMs) < window.endMs - window.startMs
}

/**
 * Whether one of the windows is open for a check with these tags, its own and its group's (service.md: a window's tags
 * are the names of the checks and groups affected). A window without tags is for no check.
 */
export function underMaintenance(
  windows: readonly TaggedMaintenance[],
  tags: ReadonlySet<string>,
  instantMs: number,
): boolean {
  return windows.some(
    (window) => window.tags.some((tag) => tags.has(tag)) && inMaintenance(window, instantMs),
  )
}

/** More windows than this that follow upon each other are told of one by one. */
const mostJoined = 10

/**
 * The end of the maintenance that is open at an instant for a check with these tags, epoch milliseconds: of the last of
 * the windows that follow upon each other. Null when none is open.
 */
export function maintenanceEndsAt(
  windows: readonly TaggedMaintenance[],
  tags: ReadonlySet<string>,
  instantMs: number,
): number | null {
  const own = windows.filter((window) => window.tags.some((tag) => tags.has(tag)))
  let endMs = instantMs
  for (let joined = 0; joined < mostJoined; joined += 1) {
    const at = endMs
    const open = own.filter((window) => inMaintenance(window, at))
    if (open.length === 0) break
    endMs = Math.max(...open.map((window) => occurrenceEndMs(window, at)))
  }
  return endMs === instantMs ? null : endMs
}

const occurrenceEndMs = (window: MaintenanceTimes, instantMs: number): number =>
  lastStartMs(window, instantMs) + window.endMs - window.startMs

/** The start of the last occurrence that has started by then. */
function lastStartMs({ startMs, repeat }: MaintenanceTimes, instantMs: number): number {
  if (!repeat) return startMs
  const latestMs = Math.max(startMs, Math.min(instantMs, repeat.untilMs ?? instantMs))
  if (repeat.unit === 'MONTH') return lastMonthlyStartMs(startMs, repeat.every, latestMs)
  const stepMs = repeat.every * unitMs[repeat.unit]
  return startMs + Math.floor((latestMs - startMs) / stepMs) * stepMs
}

function lastMonthlyStartMs(startMs: number, every: number, latestMs: number): number {
  const passed = monthOf(latestMs) - monthOf(startMs)
  const months = passed - (passed % every)
  const candidateMs = monthsLater(startMs, months)
  return candidateMs <= latestMs ? candidateMs : monthsLater(startMs, months - every)
}

/** Months since year 0. */
function monthOf(ms: number): number {
  const date = new Date(ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** The same day and time so many months later: the 31st falls back to the month's last day (semantics §1). */
function monthsLater(ms: number, months: number): number {
  const date = new Date(ms)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  date.setUTCDate(Math.min(day, lastDayOf(date)))
  return date.getTime()
}

function lastDayOf(date: Date): number {
  const last = new Date(date)
  last.setUTCMonth(date.getUTCMonth() + 1, 0)
  return last.getUTCDate()
}
