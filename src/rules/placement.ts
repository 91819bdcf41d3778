import { type Schedule, tickUntil } from './schedule.ts'

/**
 * The locations that run the slot `dueAt` (semantics §5): all of them when parallel, else one a tick, in turn. Nothing is
 * remembered: the tick's number alone says whose turn it is. The phase is added so that checks of the same interval and
 * locations do not all meet at one location.
 */
export function placement(
  schedule: Schedule,
  dueAt: number,
  locations: readonly string[],
  runParallel: boolean,
): readonly string[] {
  if (runParallel || locations.length < 2) return locations
  const turn = tickUntil(schedule, dueAt) + schedule.phaseMs
  const location = locations.at(turn % locations.length)
  return location === undefined ? [] : [location]
}
