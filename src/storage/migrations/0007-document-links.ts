import { type Kysely, sql } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { codeType } from './code-type.ts'

const tables = (code: string) => [
  `create table document_links (
    kind ${code} not null,
    document_id ${code} not null,
    target_id ${code} not null,
    primary key (kind, document_id, target_id),
    foreign key (kind, document_id) references documents (kind, id) on delete cascade
  )`,
  // listLinkedDocuments
  'create index document_links_to on document_links (target_id, kind, document_id)',
]

export async function documentLinks(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (const statement of tables(codeType(engine))) await sql.raw(statement).execute(db)
}
