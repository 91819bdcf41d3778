import type { ErrorGroupUpdate } from '../../../contract/resources/error-group.ts'
import type { Database } from '../../../storage/database.ts'
import { archiveErrorGroup, findErrorGroup } from '../../../storage/error-groups.ts'
import type { Schema } from '../../../storage/schema.ts'
import { flagOf } from '../../../storage/tables/flag.ts'
import { found } from '../../http/api-error.ts'

type ErrorGroupRow = Schema['errorGroups']

/** The group as it is after the update. @throws ApiError 404 */
export function archive(
  database: Database,
  { accountId, scope, id }: Pick<ErrorGroupRow, 'accountId' | 'scope' | 'id'>,
  { archiveForEver, archivedUntilNextEvent }: ErrorGroupUpdate,
): Promise<ErrorGroupRow> {
  return database.transaction(async (db) => {
    found(await findErrorGroup(db, accountId, scope, id), 'error group')
    await archiveErrorGroup(db, id, {
      ...(archiveForEver !== undefined && { archivedForEver: flagOf(archiveForEver) }),
      ...(archivedUntilNextEvent !== undefined && { archivedUntilNextEvent: flagOf(archivedUntilNextEvent) }),
    })
    return found(await findErrorGroup(db, accountId, scope, id), 'error group')
  })
}
