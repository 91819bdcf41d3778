import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** There is one for each database. */
const id = 1

/** The sealed text; undefined before the first key. */
export async function findSecretKeyProof(db: Kysely<Schema>): Promise<string | undefined> {
  const row = await db.selectFrom('secretKeyProofs').select('sealed').where('id', '=', id).executeTakeFirst()
  return row?.sealed
}

export async function insertSecretKeyProof(
  db: Kysely<Schema>,
  sealed: string,
  createdAt: number,
): Promise<void> {
  await db.insertInto('secretKeyProofs').values({ id, sealed, createdAt }).execute()
}
