import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import { rollUpAll } from '../../rules/rollup.ts'
import { dayMs, dayOf, hourMs, isRipe } from '../../rules/rollup-time.ts'
import type { Database } from '../../storage/database.ts'
import { listMeasures, measuresOfResults } from '../../storage/measured-results.ts'
import {
  deleteLateResults,
  firstResultHour,
  holdChecks,
  holdChecksByIds,
  listLateResults,
  lockProgress,
  type RollupProgress,
  saveProgress,
} from '../../storage/rollup-progress.ts'
import { listRollups, replaceRollups } from '../../storage/rollups.ts'
import type { Schema } from '../../storage/schema.ts'

export interface RollUpOptions {
  readonly database: Database
  readonly clock: Clock
  /** Hours that are older may have lost results already. */
  readonly resultRetentionDays: number
}

type HeldCheck = Pick<Schema['checks'], 'id' | 'accountId'>

/** Few enough that one transaction holds up nobody on SQLite, where all else waits for it. */
const checksATurn = 20
const lateResultsATurn = 500

/**
 * Rolls up every hour that is over and was not, and again those that late results came for. Each step is one transaction
 * that only one server at a time is in; whoever comes second leaves it to the first. A step that is lost is made again.
 */
export async function rollUp(options: RollUpOptions): Promise<void> {
  while (await rollUpNextChecks(options)) await setImmediate()
  while (await rollUpLateResults(options)) await setImmediate()
}

/** As many as one transaction takes. False when there is nothing left to do, or somebody else does it. */
function rollUpNextChecks({ database, clock }: RollUpOptions): Promise<boolean> {
  return database.transaction(async (db) => {
    const known = await lockProgress(db)
    if (!known) return false
    let progress = { ...known, until: known.until ?? (await firstResultHour(db)) }
    for (let checks = 0; checks < checksATurn; ) {
      const { until: hourAt } = progress
      if (hourAt === null || !isRipe(hourAt, clock.now())) return false
      const next = await rollUpChecksOf(db, hourAt, progress.afterCheckId)
      progress = next.progress
      checks += Math.max(1, next.checks)
      await saveProgress(db, progress)
    }
    return true
  })
}

async function rollUpChecksOf(db: Kysely<Schema>, hourAt: number, afterCheckId: string) {
  const checks = await holdChecks(db, afterCheckId, checksATurn)
  const progress = progressBehind(hourAt, checks)
  for (const check of checks) {
    await rollUpHour(db, check, hourAt)
    await rollUpDay(db, progress, check.id, hourAt)
  }
  return { progress, checks: checks.length }
}

function progressBehind(hourAt: number, checks: readonly { readonly id: string }[]): RollupProgress {
  const last = checks.at(-1)
  return last && checks.length === checksATurn
    ? { until: hourAt, afterCheckId: last.id }
    : { until: hourAt + hourMs, afterCheckId: '' }
}

/** False when none was left. */
function rollUpLateResults({ database, clock, resultRetentionDays }: RollUpOptions): Promise<boolean> {
  const completeFrom = clock.now() - resultRetentionDays * dayMs
  return database.transaction(async (db) => {
    const progress = await lockProgress(db)
    const marks = progress ? await listLateResults(db, lateResultsATurn) : []
    if (!progress || marks.length === 0) return false
    const ofChecks = Map.groupBy(marks, ({ checkId }) => checkId)
    for (const check of await holdChecksByIds(db, [...ofChecks.keys()])) {
      const ofHours = Map.groupBy(ofChecks.get(check.id) ?? [], ({ hourAt }) => hourAt)
      await rollUpAgain(db, check, { progress, completeFrom, late: ofHours })
    }
    await deleteLateResults(
      db,
      marks.map(({ resultId }) => resultId),
    )
    return marks.length === lateResultsATurn
  })
}

interface Lateness {
  readonly progress: RollupProgress
  /** No result that started since then is deleted. */
  readonly completeFrom: number
  readonly late: ReadonlyMap<number, readonly Schema['lateResults'][]>
}

async function rollUpAgain(
  db: Kysely<Schema>,
  check: HeldCheck,
  { progress, completeFrom, late }: Lateness,
): Promise<void> {
  for (const [hourAt, marks] of late) {
    if (!isPassed(progress, check.id, hourAt)) continue
    if (hourAt >= completeFrom) await rollUpHour(db, check, hourAt)
    else await addToHour(db, check.id, hourAt, marks)
    await rollUpDay(db, progress, check.id, hourAt)
  }
}

/** An hour that is still to be rolled up takes its late results in by itself. */
function isPassed({ until, afterCheckId }: RollupProgress, checkId: string, hourAt: number): boolean {
  return until !== null && (hourAt < until || (hourAt === until && checkId <= afterCheckId))
}

async function rollUpHour(db: Kysely<Schema>, check: HeldCheck, hourAt: number): Promise<void> {
  const { id: checkId, accountId } = check
  const range = { accountId, checkIds: [checkId], from: hourAt, to: hourAt + hourMs }
  const results = await listMeasures(db, range)
  await replaceRollups(db, { checkId, span: 'hour', startsAt: hourAt }, rollUpAll([], results))
}

/** Of an hour whose other results may be deleted: what is known of them stays. */
async function addToHour(
  db: Kysely<Schema>,
  checkId: string,
  hourAt: number,
  late: readonly Schema['lateResults'][],
): Promise<void> {
  const results = await measuresOfResults(
    db,
    late.map(({ resultId }) => resultId),
  )
  const known = await listRollups(db, [checkId], { span: 'hour', from: hourAt, to: hourAt + hourMs })
  await replaceRollups(db, { checkId, span: 'hour', startsAt: hourAt }, rollUpAll(known, results))
}

/** Makes the day of an hour from all of its hours, once the last of them is rolled up. */
async function rollUpDay(
  db: Kysely<Schema>,
  progress: RollupProgress,
  checkId: string,
  hourAt: number,
): Promise<void> {
  const day = dayOf(hourAt)
  if (!isPassed(progress, checkId, day + dayMs - hourMs)) return
  const hours = await listRollups(db, [checkId], { span: 'hour', from: day, to: day + dayMs })
  await replaceRollups(db, { checkId, span: 'day', startsAt: day }, rollUpAll(hours, []))
}
