import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

type CertificateRow = Schema['clientCertificates']

export async function insertClientCertificate(db: Kysely<Schema>, row: CertificateRow): Promise<void> {
  await db.insertInto('clientCertificates').values(row).execute()
}

export function findClientCertificate(
  db: Kysely<Schema>,
  accountId: string,
  id: string,
): Promise<CertificateRow | undefined> {
  return ofAccount(db, accountId).selectAll().where('id', '=', id).executeTakeFirst()
}

/** Newest first, then by id. */
export function listClientCertificates(db: Kysely<Schema>, accountId: string): Promise<CertificateRow[]> {
  return ofAccount(db, accountId).selectAll().orderBy('createdAt', 'desc').orderBy('id').execute()
}

export async function countClientCertificates(db: Kysely<Schema>, accountId: string): Promise<number> {
  const { certificates } = await ofAccount(db, accountId)
    .select(({ fn }) => fn.countAll<number>().as('certificates'))
    .executeTakeFirstOrThrow()
  return certificates
}

/** False when the account has no such certificate. */
export async function deleteClientCertificate(
  db: Kysely<Schema>,
  accountId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('clientCertificates')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

function ofAccount(db: Kysely<Schema>, accountId: string) {
  return db.selectFrom('clientCertificates').where('accountId', '=', accountId)
}
