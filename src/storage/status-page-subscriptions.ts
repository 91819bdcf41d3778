import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export interface KeyedSubscription {
  /** Unique among all subscriptions. */
  readonly key: string
  readonly row: Schema['documents']
}

const kind = 'status-page-subscription'

/** Those of the keys, at most some hundreds, that a subscription has. */
export async function takenSubscriptionKeys(db: Kysely<Schema>, keys: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('documentKeys')
    .select('key')
    .where('kind', '=', kind)
    .where('key', 'in', keys)
    .execute()
  return rows.map(({ key }) => key)
}

/** At most some hundreds, with keys that are free. */
export async function addSubscriptions(
  db: Kysely<Schema>,
  subscriptions: readonly KeyedSubscription[],
): Promise<void> {
  if (subscriptions.length === 0) return
  await db
    .insertInto('documents')
    .values(subscriptions.map(({ row }) => row))
    .execute()
  await db
    .insertInto('documentKeys')
    .values(subscriptions.map(({ key, row }) => ({ kind, key, documentId: row.id })))
    .execute()
}
