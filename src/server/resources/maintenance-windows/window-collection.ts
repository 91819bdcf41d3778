import type { Kysely } from 'kysely'
import { claimAheadMs } from '../../../contract/agent-protocol.ts'
import type {
  MaintenanceWindow,
  MaintenanceWindowBody,
} from '../../../contract/resources/maintenance-window.ts'
import { dateText, dateTextOrNull } from '../../../contract/wire-time.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Database } from '../../../storage/database.ts'
import { replanChecks } from '../../../storage/replan-checks.ts'
import type { Schema } from '../../../storage/schema.ts'
import { Collection, type Stored } from '../../stored/collection.ts'

export interface MaintenanceWindowOptions {
  readonly database: Database
  readonly clock: Clock
}

/** The scheduler reads all of an account's at every turn. */
const most = 500

/**
 * Runs that were planned under other windows are planned by those that there are after the change; but what is due so soon
 * that an agent may have it stays as it is.
 */
export const replanFor =
  ({ clock }: MaintenanceWindowOptions) =>
  (db: Kysely<Schema>, { accountId }: Pick<Schema['documents'], 'accountId'>): Promise<void> =>
    replanChecks(db, accountId, clock.now() + claimAheadMs)

export const windowCollection = (options: MaintenanceWindowOptions): Collection<MaintenanceWindowBody> =>
  new Collection(options, {
    kind: 'maintenance-window',
    what: 'maintenance window',
    ids: 'number',
    most,
    onRemove: replanFor(options),
  })

/** Its texts as they were sent; a `repeatEndsAt` that is empty is none. */
export function toResource({
  id,
  definition,
  createdAt,
  updatedAt,
}: Stored<MaintenanceWindowBody>): MaintenanceWindow {
  return {
    ...definition,
    id: Number(id),
    repeatEndsAt: definition.repeatEndsAt || null,
    created_at: dateText(createdAt),
    updated_at: dateTextOrNull(updatedAt),
  }
}
