import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  // Holds one row: the primary key lets no second server write another.
  `create table secret_key_proofs (
    id smallint not null primary key,
    sealed text not null,
    created_at bigint not null
  )`,
  `create table variables (
    account_id ${code} not null references accounts (id),
    "key" ${code} not null,
    "value" text not null,
    locked smallint not null,
    secret smallint not null,
    created_at bigint not null,
    updated_at bigint,
    primary key (account_id, "key")
  )`,
  `create table client_certificates (
    id ${code} not null primary key,
    account_id ${code} not null references accounts (id),
    host text not null,
    cert text not null,
    "key" text not null,
    passphrase text,
    ca text,
    created_at bigint not null
  )`,
  // listClientCertificates
  'create index client_certificates_newest on client_certificates (account_id, created_at desc, id)',
]

export async function secrets(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
