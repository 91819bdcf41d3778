import type { Kysely } from 'kysely'
import type { Rollup, StoredSketches } from '../rules/rollup.ts'
import type { StoredSketch } from '../rules/rollup-sketch.ts'
import { batchesOf, deleteInBatches, rowsAStatement } from './batches.ts'
import type { Schema } from './schema.ts'

type Span = Schema['resultRollups']['span']

/** Figures of one check from `startsAt` on. */
export interface StoredRollup extends Rollup {
  readonly checkId: string
  readonly startsAt: number
}

export interface RollupRange {
  readonly span: Span
  /** Epoch milliseconds; `to` is not in it. */
  readonly from: number
  readonly to: number
}

const keyColumns = ['checkId', 'startsAt', 'location', 'outcome', 'statusCode', 'results', 'retries'] as const

/** Without sketches but that of the total: a third of what listRollups reads. */
export async function listTotals(
  db: Kysely<Schema>,
  checkIds: readonly string[],
  range: RollupRange,
): Promise<StoredRollup[]> {
  const rows = await within(db, checkIds, range)
    .select([...keyColumns, 'total'])
    .execute()
  return rows.map(({ total, ...row }) => ({ ...row, sketches: withTotal(total) }))
}

/** In no order. */
export async function listRollups(
  db: Kysely<Schema>,
  checkIds: readonly string[],
  range: RollupRange,
): Promise<StoredRollup[]> {
  const rows = await within(db, checkIds, range)
    .select([...keyColumns, 'total', 'measures'])
    .execute()
  return rows.map(({ total, measures, ...row }) => ({
    ...row,
    // Written by replaceRollups and by nothing else.
    sketches: { ...(JSON.parse(measures) as StoredSketches), ...withTotal(total) },
  }))
}

function within(db: Kysely<Schema>, checkIds: readonly string[], { span, from, to }: RollupRange) {
  return db
    .selectFrom('resultRollups')
    .where('checkId', 'in', checkIds)
    .where('span', '=', span)
    .where('startsAt', '>=', from)
    .where('startsAt', '<', to)
}

const withTotal = (total: string | null): StoredSketches =>
  total === null ? {} : { total: JSON.parse(total) as StoredSketch }

/** Writes a check's figures of one hour or day in place of those that are there. Belongs in a transaction. */
export async function replaceRollups(
  db: Kysely<Schema>,
  { checkId, span, startsAt }: Pick<Schema['resultRollups'], 'checkId' | 'span' | 'startsAt'>,
  rollups: readonly Rollup[],
): Promise<void> {
  await db
    .deleteFrom('resultRollups')
    .where('checkId', '=', checkId)
    .where('span', '=', span)
    .where('startsAt', '=', startsAt)
    .execute()
  const rows = rollups.map(({ sketches, ...rollup }) => {
    const { total, ...measures } = sketches
    return {
      ...rollup,
      checkId,
      span,
      startsAt,
      total: total ? JSON.stringify(total) : null,
      measures: JSON.stringify(measures),
    }
  })
  for (const batch of batchesOf(rows)) await db.insertInto('resultRollups').values(batch).execute()
}

/** By their start, whole hours at once. Returns how many rows went. */
export function deleteRollupsBefore(db: Kysely<Schema>, before: number): Promise<number> {
  return deleteInBatches(async () => {
    const last = await db
      .selectFrom('resultRollups')
      .select('startsAt')
      .where('startsAt', '<', before)
      .orderBy('startsAt')
      .offset(rowsAStatement - 1)
      .limit(1)
      .executeTakeFirst()
    const { numDeletedRows } = await db
      .deleteFrom('resultRollups')
      .where('startsAt', '<', last ? last.startsAt + 1 : before)
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}
