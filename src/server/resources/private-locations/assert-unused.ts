import type { Kysely } from 'kysely'
import { listAllCheckGroups } from '../../../storage/check-groups.ts'
import { checksUsingPrivateLocation } from '../../../storage/checks.ts'
import type { Schema } from '../../../storage/schema.ts'
import { ApiError } from '../../http/api-error.ts'
import { storedGroup } from '../../stored/stored-check.ts'

/** @throws ApiError 409 naming the checks and groups that run at this private location */
export async function assertUnused(db: Kysely<Schema>, accountId: string, slug: string): Promise<void> {
  const checks = await checksUsingPrivateLocation(db, accountId, slug)
  if (checks.length > 0) throw used('Checks', checks)
  const groups = (await listAllCheckGroups(db, accountId)).filter((row) =>
    storedGroup(row).privateLocations?.includes(slug),
  )
  if (groups.length > 0)
    throw used(
      'Check groups',
      groups.map(({ id }) => String(id)),
    )
}

const used = (users: string, ids: readonly string[]) =>
  new ApiError(
    'CONFLICT',
    `${users} run at this private location, remove it from them first: ${ids.join(', ')}`,
  )
