import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** How many the account has. */
export async function countOfAccount(
  db: Kysely<Schema>,
  table: 'checks' | 'checkGroups',
  accountId: string,
): Promise<number> {
  const { total } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('accountId', '=', accountId)
    .executeTakeFirstOrThrow()
  return total
}
