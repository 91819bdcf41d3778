import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

export async function tagsOfChecks(db: Kysely<Schema>): Promise<void> {
  // matchingChecks with tags
  await sql.raw('create index check_tags_of_tag on check_tags (tag, check_id)').execute(db)
}
