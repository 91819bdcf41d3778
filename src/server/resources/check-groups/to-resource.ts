import type { Kysely } from 'kysely'
import type { CheckGroupResource } from '../../../contract/resources/check-group.ts'
import { dateText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import type { Schema } from '../../../storage/schema.ts'
import { subscriptionsOfGroups } from '../../alerts/alert-subscriptions.ts'
import { hideSecrets } from '../../secrets/stored-variables.ts'
import { storedGroup } from '../../stored/stored-check.ts'

type GroupRow = Schema['checkGroups']

/** What was sent, un-normalised and without the values of secrets, beside what the service adds (semantics §2). */
export async function toResources(
  db: Kysely<Schema>,
  rows: readonly GroupRow[],
): Promise<CheckGroupResource[]> {
  const subscriptionsOf = await subscriptionsOfGroups(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const { version: _version, ...sent } = hideSecrets(storedGroup(row))
    return {
      ...sent,
      id: row.id,
      alertChannelSubscriptions: subscriptionsOf(row.id),
      created_at: dateText(row.createdAt),
      updated_at: dateTimeTextOrNull(row.updatedAt),
    }
  })
}

/** As toResources. */
export async function toResource(db: Kysely<Schema>, row: GroupRow): Promise<CheckGroupResource> {
  const [resource] = await toResources(db, [row])
  if (!resource) throw new Error('no resource of a row')
  return resource
}
