import { type RawBuilder, sql } from 'kysely'

const escapeWildcards = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** Whether a column has `part` in it, in any case of letters. */
export function containsText(column: string, part: string): RawBuilder<boolean> {
  return sql<boolean>`lower(${sql.ref(column)}) like lower(${`%${escapeWildcards(part)}%`}) escape '\\'`
}
