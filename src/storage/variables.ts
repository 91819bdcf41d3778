import type { Kysely } from 'kysely'
import type { Page, Paged } from './page.ts'
import type { Schema } from './schema.ts'

type VariableRow = Schema['variables']

/** False when the account has a variable with this key already. */
export async function insertVariable(db: Kysely<Schema>, row: VariableRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('variables')
    .values(row)
    .onConflict((conflict) => conflict.columns(['accountId', 'key']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

export function findVariable(
  db: Kysely<Schema>,
  accountId: string,
  key: string,
): Promise<VariableRow | undefined> {
  return ofAccount(db, accountId).selectAll().where('key', '=', key).executeTakeFirst()
}

/** By key. */
export async function listVariables(
  db: Kysely<Schema>,
  accountId: string,
  { offset, limit }: Page,
): Promise<Paged<VariableRow>> {
  const rows = await ofAccount(db, accountId).selectAll().orderBy('key').offset(offset).limit(limit).execute()
  return { rows, total: await countVariables(db, accountId) }
}

/** By key. */
export function listAllVariables(db: Kysely<Schema>, accountId: string): Promise<VariableRow[]> {
  return ofAccount(db, accountId).selectAll().orderBy('key').execute()
}

export async function countVariables(db: Kysely<Schema>, accountId: string): Promise<number> {
  const { variables } = await ofAccount(db, accountId)
    .select(({ fn }) => fn.countAll<number>().as('variables'))
    .executeTakeFirstOrThrow()
  return variables
}

/** Replaces all but its key and the time it was made. */
export async function updateVariable(
  db: Kysely<Schema>,
  { accountId, key, value, locked, secret, updatedAt }: VariableRow,
): Promise<void> {
  await db
    .updateTable('variables')
    .set({ value, locked, secret, updatedAt })
    .where('accountId', '=', accountId)
    .where('key', '=', key)
    .execute()
}

/** False when the account has no such variable. */
export async function deleteVariable(db: Kysely<Schema>, accountId: string, key: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('variables')
    .where('accountId', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

function ofAccount(db: Kysely<Schema>, accountId: string) {
  return db.selectFrom('variables').where('accountId', '=', accountId)
}
