import type {
  MaintenanceWindow,
  MaintenanceWindowBody,
} from '../../../contract/resources/maintenance-window.ts'
import { dateText, dateTextOrNull } from '../../../contract/wire-time.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Database } from '../../../storage/database.ts'
import { Collection, type Stored } from '../../stored/collection.ts'

export interface MaintenanceWindowOptions {
  readonly database: Database
  readonly clock: Clock
}

/** The scheduler reads all of an account's at every turn. */
const most = 500

export const windowCollection = (options: MaintenanceWindowOptions): Collection<MaintenanceWindowBody> =>
  new Collection(options, { kind: 'maintenance-window', what: 'maintenance window', ids: 'number', most })

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
