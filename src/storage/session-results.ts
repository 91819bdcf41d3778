import type { Kysely } from 'kysely'
import { batchesOf } from './batches.ts'
import { shortResultColumns } from './check-results.ts'
import type { Schema } from './schema.ts'

/** Without what the agent saw in detail, which may be a megabyte each. */
export type ShortResult = Omit<Schema['checkResults'], 'details' | 'measures'>

/** An agent's clock is believed to be right within this. */
const clockMarginMs = 60 * 60_000

/** The results of runs that were due at `from` (epoch ms) or later, in no order: FINAL ones, or those of attempts. */
export async function listResultsOfRuns(
  db: Kysely<Schema>,
  runs: readonly Pick<Schema['checkRuns'], 'id' | 'accountId' | 'checkId' | 'definitionId'>[],
  from: number,
  resultType: ShortResult['resultType'] = 'FINAL',
): Promise<ShortResult[]> {
  const found: ShortResult[] = []
  for (const batch of batchesOf(runs)) {
    const rows = await db
      .selectFrom('checkResults')
      .select(shortResultColumns)
      .where(
        'accountId',
        'in',
        batch.map(({ accountId }) => accountId),
      )
      .where(
        'checkId',
        'in',
        batch.map(({ checkId, definitionId }) => definitionId ?? checkId),
      )
      .where('startedAt', '>=', from - clockMarginMs)
      .where('dueAt', '>=', from)
      .where(
        'runId',
        'in',
        batch.map(({ id }) => id),
      )
      .where('resultType', '=', resultType)
      .execute()
    found.push(...rows)
  }
  return found
}
