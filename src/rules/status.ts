import type { Verdict } from '../contract/verdict.ts'

interface Slot {
  readonly runId: string
  readonly resultId: string
  readonly location: string
  readonly dueAt: number
  /** As the check is when the result comes in. */
  readonly runParallel: boolean
  readonly locations: readonly string[]
}

/** How a slot ended, as far as the status must know. */
export type FinalResult =
  | (Slot & {
      readonly kind: 'judged'
      readonly state: Verdict['state']
      /** Milliseconds; null when there was no response to time. */
      readonly responseTimeMs: number | null
      readonly sslDaysRemaining: number | null
    })
  | (Slot & { readonly kind: 'errored' })
  | (Slot & { readonly kind: 'missed' })

type Reported = Exclude<FinalResult, { kind: 'missed' }>
type Judged = Extract<FinalResult, { kind: 'judged' }>

/** Which of two results is the newer: that of the later slot; `resultId` settles what is due at once. */
interface Mark {
  readonly dueAt: number
  readonly resultId: string
}

/** The newest of each kind that one location has reported. */
interface LocationStatus {
  readonly location: string
  readonly judged: (Mark & { readonly state: Verdict['state'] }) | null
  readonly errored: Mark | null
}

/**
 * The fold of a check's final results, as kept in storage: what GET /v1/check-statuses shows (service.md, Check status;
 * times in milliseconds), and what the next fold needs. It depends on which results were folded, never on their order.
 */
export interface Status {
  readonly hasFailures: boolean
  readonly hasErrors: boolean
  readonly isDegraded: boolean
  readonly longestRun: number | null
  readonly shortestRun: number | null
  readonly lastRunLocation: string | null
  readonly lastCheckRunId: string | null
  readonly sslDaysRemaining: number | null
  readonly latest: (Mark & Pick<Slot, 'runParallel' | 'locations'>) | null
  /** Of the result that `sslDaysRemaining` was taken from. */
  readonly certificateOf: Mark | null
  /** Every location that ever reported: dropping one would make the fold depend on the order. */
  readonly perLocation: readonly LocationStatus[]
}

export const neverRan: Status = {
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  longestRun: null,
  shortestRun: null,
  lastRunLocation: null,
  lastCheckRunId: null,
  sslDaysRemaining: null,
  latest: null,
  certificateOf: null,
  perLocation: [],
}

/**
 * The status after one more result. In a round robin the newest result decides; in parallel runs the newest of each
 * location still in use, joined by or. An older result than the one that decides moves only the longest and shortest
 * run. An errored one says nothing about the target (semantics §3), a missed one changes nothing.
 */
export function foldStatus(previous: Status | null, result: FinalResult): Status {
  const status = previous ?? neverRan
  if (result.kind === 'missed') return status
  const perLocation = foldLocation(status.perLocation, result)
  const last = lastRun(status, result)
  return {
    ...status,
    ...(result.kind === 'judged' ? foldMeasurements(status, result) : {}),
    ...last,
    perLocation,
    ...flags(perLocation, last.latest),
  }
}

function isNewer(mark: Mark, than: Mark | null): boolean {
  if (than === null) return true
  return mark.dueAt === than.dueAt ? mark.resultId > than.resultId : mark.dueAt > than.dueAt
}

const newer = <T extends Mark>(one: T | null, other: T | null): T | null =>
  one !== null && isNewer(one, other) ? one : other

function lastRun(status: Status, result: Reported) {
  const { latest, lastRunLocation, lastCheckRunId } = status
  if (latest !== null && !isNewer(result, latest)) return { latest, lastRunLocation, lastCheckRunId }
  const { dueAt, resultId, runParallel, locations, location, runId } = result
  return {
    latest: { dueAt, resultId, runParallel, locations },
    lastRunLocation: location,
    lastCheckRunId: runId,
  }
}

function foldLocation(known: readonly LocationStatus[], result: Reported): LocationStatus[] {
  const { location, dueAt, resultId } = result
  const before = known.find((entry) => entry.location === location) ?? {
    location,
    judged: null,
    errored: null,
  }
  const mark = { dueAt, resultId }
  const after =
    result.kind === 'judged'
      ? { ...before, judged: newer({ ...mark, state: result.state }, before.judged) }
      : { ...before, errored: newer(mark, before.errored) }
  return [...known.filter((entry) => entry.location !== location), after]
}

function flags(perLocation: readonly LocationStatus[], latest: NonNullable<Status['latest']>) {
  const deciding = latest.runParallel
    ? perLocation.filter(({ location }) => latest.locations.includes(location))
    : [newestOf(perLocation)]
  return {
    hasFailures: deciding.some(({ judged }) => judged?.state === 'failing'),
    isDegraded: deciding.some(({ judged }) => judged?.state === 'degraded'),
    hasErrors: deciding.some(({ judged, errored }) => errored !== null && isNewer(errored, judged)),
  }
}

function newestOf(perLocation: readonly LocationStatus[]): Pick<LocationStatus, 'judged' | 'errored'> {
  return perLocation.reduce<Pick<LocationStatus, 'judged' | 'errored'>>(
    (newest, entry) => ({
      judged: newer(entry.judged, newest.judged),
      errored: newer(entry.errored, newest.errored),
    }),
    { judged: null, errored: null },
  )
}

function foldMeasurements(status: Status, result: Judged) {
  return { ...foldRunTimes(status, result.responseTimeMs), ...foldCertificate(status, result) }
}

function foldRunTimes({ longestRun, shortestRun }: Status, responseTimeMs: number | null) {
  if (responseTimeMs === null) return { longestRun, shortestRun }
  return {
    longestRun: Math.max(longestRun ?? responseTimeMs, responseTimeMs),
    shortestRun: Math.min(shortestRun ?? responseTimeMs, responseTimeMs),
  }
}

/** A target that was not reached says nothing about its certificate; one that answers without a certificate has none. */
function foldCertificate({ certificateOf, sslDaysRemaining }: Status, result: Judged) {
  const { dueAt, resultId } = result
  const speaks = result.responseTimeMs !== null || result.sslDaysRemaining !== null
  return speaks && isNewer(result, certificateOf)
    ? { certificateOf: { dueAt, resultId }, sslDaysRemaining: result.sslDaysRemaining }
    : { certificateOf, sslDaysRemaining }
}
