import { AppError } from '../lib/app-error.ts'

/** A check's ticks: every instant t (epoch ms) with t ≡ phaseMs modulo intervalMs. 0 <= phaseMs < intervalMs. */
export interface Schedule {
  readonly intervalMs: number
  readonly phaseMs: number
}

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** What one step of `frequencyOffset` moves a tick by: the allowed offsets spread it over its whole interval. */
const offsetStepMs = (frequency: number) => (frequency <= 60 ? 6 * secondMs : hourMs)

const subMinuteSeconds = [10, 20, 30]

/**
 * Milliseconds between two ticks: `frequency` minutes, or `frequencyOffset` seconds when it is 0 (semantics §5).
 * @throws AppError SCHEDULE_INVALID for frequency 0 without an offset, which `frequencyOffsetFault` refuses.
 */
export function intervalMsOf(frequency: number, frequencyOffset: number | undefined): number {
  if (frequency > 0) return frequency * minuteMs
  if (frequencyOffset === undefined) {
    throw new AppError('SCHEDULE_INVALID', 'A schedule of frequency 0 has no frequencyOffset')
  }
  return frequencyOffset * secondMs
}

/** Why the pair is refused, as a sentence that says what is allowed; null when it is fine (service.md, frequencyOffset). */
export function frequencyOffsetFault(frequency: number, frequencyOffset: number | undefined): string | null {
  if (frequency === 0) return subMinuteFault(frequencyOffset)
  if (frequencyOffset === undefined) return null
  const most = frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60)
  if (Number.isInteger(frequencyOffset) && frequencyOffset >= 1 && frequencyOffset <= most) return null
  return `"frequencyOffset" must be a whole number from 1 to ${most} when "frequency" is ${frequency}, was ${frequencyOffset}`
}

function subMinuteFault(frequencyOffset: number | undefined): string | null {
  if (frequencyOffset !== undefined && subMinuteSeconds.includes(frequencyOffset)) return null
  const was = frequencyOffset === undefined ? 'left out' : frequencyOffset
  return `"frequencyOffset" must be one of [${subMinuteSeconds.join(', ')}] when "frequency" is 0, was ${was}`
}

/**
 * Where in its interval a check ticks: its own for ever, so that no restart and no second server moves it, and spread
 * evenly over all checks (semantics §5). An offset chooses the step of the interval, the id the place within it.
 */
export function phaseMsOf(checkId: string, frequency: number, frequencyOffset: number | undefined): number {
  const intervalMs = intervalMsOf(frequency, frequencyOffset)
  if (frequency === 0 || frequencyOffset === undefined) return spread(checkId, intervalMs)
  const stepMs = offsetStepMs(frequency)
  return ((frequencyOffset - 1) * stepMs + spread(checkId, stepMs)) % intervalMs
}

/** An instant within so many milliseconds: the id's own, and even over many ids. */
export const spread = (checkId: string, ms: number): number => hash32(checkId) % ms

/** FNV-1a, finished as MurmurHash3 is: without that, ids that differ in their last characters lie close together. */
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** The number of the first tick at or after an instant; tick 0 is at `phaseMs`. */
const tickFrom = ({ intervalMs, phaseMs }: Schedule, ms: number) => Math.ceil((ms - phaseMs) / intervalMs)
/** The number of the last tick at or before an instant. */
export const tickUntil = ({ intervalMs, phaseMs }: Schedule, ms: number) =>
  Math.floor((ms - phaseMs) / intervalMs)
const instantOf = ({ intervalMs, phaseMs }: Schedule, tick: number) => phaseMs + tick * intervalMs

/** The first dueAt later than `afterMs`. */
export function firstDueAfter(schedule: Schedule, afterMs: number): number {
  return instantOf(schedule, tickUntil(schedule, afterMs) + 1)
}

/** Every dueAt with fromMs <= dueAt <= untilMs, ascending, the first `limit` of them. */
export function dueBetween(schedule: Schedule, fromMs: number, untilMs: number, limit: number): number[] {
  const first = tickFrom(schedule, fromMs)
  const length = Math.max(0, Math.min(limit, slotsBetween(schedule, fromMs, untilMs)))
  return Array.from({ length }, (_, index) => instantOf(schedule, first + index))
}

/** How many dueAt there are with fromMs <= dueAt <= untilMs. */
export function slotsBetween(schedule: Schedule, fromMs: number, untilMs: number): number {
  return Math.max(0, tickUntil(schedule, untilMs) - tickFrom(schedule, fromMs) + 1)
}
