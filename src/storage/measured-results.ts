import type { Kysely } from 'kysely'
import type { Measures } from '../rules/measures.ts'
import type { MeasuredResult, RolledOutcome } from '../rules/rollup.ts'
import { batchesOf } from './batches.ts'
import type { Schema } from './schema.ts'

/** The FINAL result of one run, as figures are made of it. */
export interface StoredMeasures extends MeasuredResult {
  readonly checkId: string
  readonly startedAt: number
}

export interface ResultRange {
  readonly accountId: string
  readonly checkIds: readonly string[]
  /** Of `startedAt`, epoch milliseconds; `to` is not in it. */
  readonly from: number
  readonly to: number
}

const columns = [
  'checkId',
  'startedAt',
  'location',
  'hasFailures',
  'hasErrors',
  'isDegraded',
  'attempt',
  'responseTimeMs',
  'statusCode',
  'measures',
] as const
type Row = Pick<Schema['checkResults'], (typeof columns)[number]>

/** In no order. */
export async function listMeasures(db: Kysely<Schema>, range: ResultRange): Promise<StoredMeasures[]> {
  const rows = await finalResults(db, range).select(columns).execute()
  return rows.map(toMeasures)
}

/** When the first result of the range began; null when it has none. */
export async function firstResultAt(db: Kysely<Schema>, range: ResultRange): Promise<number | null> {
  let first: number | null = null
  // One check at a time, each from one end of the index.
  for (const checkId of range.checkIds) {
    const to: number = first ?? range.to
    const row = await finalResults(db, { ...range, checkIds: [checkId], to })
      .select('startedAt')
      .orderBy('startedAt')
      .limit(1)
      .executeTakeFirst()
    first = row?.startedAt ?? first
  }
  return first
}

/** In no order; those that do not exist are left out. */
export async function measuresOfResults(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<StoredMeasures[]> {
  const found: StoredMeasures[] = []
  for (const batch of batchesOf(ids)) {
    const rows = await db.selectFrom('checkResults').select(columns).where('id', 'in', batch).execute()
    found.push(...rows.map(toMeasures))
  }
  return found
}

/** Oldest first, then by id. */
export async function pageOfMeasures(
  db: Kysely<Schema>,
  range: ResultRange & { readonly outcomes: readonly RolledOutcome[] },
  page: { readonly offset: number; readonly limit: number },
): Promise<StoredMeasures[]> {
  const rows = await finalResults(db, range)
    .where((eb) => eb.or(range.outcomes.map((outcome) => eb.and(flags[outcome]))))
    .select(columns)
    .orderBy('startedAt')
    .orderBy('id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
  return rows.map(toMeasures)
}

function finalResults(db: Kysely<Schema>, { accountId, checkIds, from, to }: ResultRange) {
  return db
    .selectFrom('checkResults')
    .where('accountId', '=', accountId)
    .where('checkId', 'in', checkIds)
    .where('startedAt', '>=', from)
    .where('startedAt', '<', to)
    .where('resultType', '=', 'FINAL')
}

const flags = {
  passed: { hasErrors: 0, hasFailures: 0, isDegraded: 0 },
  degraded: { hasErrors: 0, hasFailures: 0, isDegraded: 1 },
  failed: { hasErrors: 0, hasFailures: 1 },
  errored: { hasErrors: 1 },
} as const satisfies Record<RolledOutcome, Partial<Row>>

function outcomeOf({ hasErrors, hasFailures, isDegraded }: Row): RolledOutcome {
  if (hasErrors === 1) return 'errored'
  if (hasFailures === 1) return 'failed'
  return isDegraded === 1 ? 'degraded' : 'passed'
}

function toMeasures(row: Row): StoredMeasures {
  const { checkId, startedAt, location, attempt, statusCode, measures } = row
  return {
    checkId,
    startedAt,
    location,
    outcome: outcomeOf(row),
    statusCode: statusCode ?? 0,
    retries: attempt - 1,
    measures: measures === null ? unmeasured(row) : (JSON.parse(measures) as Measures),
  }
}

/** Of a result from before they were measured when stored; one that failed may have been cut off. */
function unmeasured({ hasFailures, responseTimeMs }: Row): Measures {
  return hasFailures === 1 || responseTimeMs === null ? {} : { total: responseTimeMs }
}
