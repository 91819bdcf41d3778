import type { Kysely } from 'kysely'
import { countOfAccount } from '../../storage/count-rows.ts'
import type { Schema } from '../../storage/schema.ts'
import { ApiError } from '../http/api-error.ts'

/** More than one team watches, and fewer than the database and its lists can bear. */
const most = { checks: 50_000, checkGroups: 5000 } as const
const names = { checks: 'check', checkGroups: 'check group' } as const

/** Belongs under the account's lock. @throws ApiError 409 when the account has its fill */
export async function assertRoomFor(
  db: Kysely<Schema>,
  accountId: string,
  table: keyof typeof most,
): Promise<void> {
  if ((await countOfAccount(db, table, accountId)) < most[table]) return
  const text = `There are at most ${most[table]} of this kind (${names[table]}): delete one first`
  throw new ApiError('CONFLICT', text)
}
