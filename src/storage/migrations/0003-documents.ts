import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  `create table documents (
    kind ${code} not null,
    id ${code} not null,
    account_id ${code} not null references accounts (id),
    parent_id ${code},
    definition text not null,
    created_at bigint not null,
    updated_at bigint,
    primary key (kind, id)
  )`,
  // listDocuments
  'create index documents_newest on documents (account_id, kind, created_at desc, id)',
  // listDocuments, deleteDocuments of a parent
  'create index documents_of_parent on documents (parent_id, kind, created_at desc, id) where parent_id is not null',
  `create table document_keys (
    kind ${code} not null,
    "key" ${code} not null,
    document_id ${code} not null,
    primary key (kind, "key"),
    foreign key (kind, document_id) references documents (kind, id) on delete cascade
  )`,
  // replaceDocumentKeys
  'create index document_keys_of_document on document_keys (kind, document_id)',
  `create table counters (
    name ${code} not null primary key,
    last bigint not null
  )`,
]

export async function documents(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
