import type { Kysely } from 'kysely'
import { definitionVersion } from './definition-versions.ts'
import type { Schema } from './schema.ts'

export interface ScheduledCheckRow {
  readonly id: string
  readonly accountId: string
  /** Of its definition. */
  readonly version: number
}

export interface ScheduledCheckFilter {
  /** Null: of all accounts. */
  readonly accountId: string | null
  readonly checkTypes: readonly string[]
}

/** The checks that are planned: active ones, of these types. In the order of their ids. */
export async function scheduledChecks(
  db: Kysely<Schema>,
  { accountId, checkTypes }: ScheduledCheckFilter,
): Promise<ScheduledCheckRow[]> {
  if (checkTypes.length === 0) return []
  let query = db.selectFrom('checks').select(['id', 'accountId']).where('nextDueAt', 'is not', null)
  query = query.where('type', 'in', checkTypes)
  if (accountId !== null) query = query.where('accountId', '=', accountId)
  return query
    .select((eb) => definitionVersion(eb).as('version'))
    .orderBy('id')
    .execute()
}
