import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** What a report says of a check itself. */
export type ReportedCheck = Pick<Schema['checks'], 'id' | 'name' | 'type' | 'activated' | 'createdAt'> & {
  /** In the order in which they were sent. */
  readonly tags: readonly string[]
}

export interface ReportFilter {
  readonly activated?: Schema['checks']['activated']
  /** One of them is enough; an empty list asks for nothing. */
  readonly anyTag: readonly string[]
}

const columns = ['id', 'name', 'type', 'activated', 'createdAt'] as const

/** The account's checks that come after this one, newest first; without their definitions, which may be large. */
export async function listReportedChecks(
  db: Kysely<Schema>,
  accountId: string,
  { activated, anyTag }: ReportFilter,
  { after, limit }: { readonly after: ReportedCheck | undefined; readonly limit: number },
): Promise<ReportedCheck[]> {
  let query = db.selectFrom('checks').select(columns).where('accountId', '=', accountId)
  if (activated !== undefined) query = query.where('activated', '=', activated)
  if (anyTag.length > 0) {
    query = query.where('id', 'in', (eb) =>
      eb.selectFrom('checkTags').select('checkId').where('tag', 'in', anyTag),
    )
  }
  if (after) {
    const { createdAt, id } = after
    query = query.where((eb) =>
      eb.or([eb('createdAt', '<', createdAt), eb('createdAt', '=', createdAt).and('id', '>', id)]),
    )
  }
  const rows = await query.orderBy('createdAt', 'desc').orderBy('id').limit(limit).execute()
  const tagsOf = await tagsOfChecks(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ ...row, tags: tagsOf(row.id) }))
}

async function tagsOfChecks(
  db: Kysely<Schema>,
  ids: readonly string[],
): Promise<(id: string) => readonly string[]> {
  if (ids.length === 0) return () => []
  const rows = await db
    .selectFrom('checkTags')
    .select(['checkId', 'tag'])
    .where('checkId', 'in', ids)
    .orderBy('checkId')
    .orderBy('position')
    .execute()
  const ofCheck = Map.groupBy(rows, ({ checkId }) => checkId)
  return (id) => (ofCheck.get(id) ?? []).map(({ tag }) => tag)
}
