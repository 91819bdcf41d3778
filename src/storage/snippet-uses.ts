import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export interface SnippetUse {
  readonly what: 'check' | 'check group'
  readonly id: string | number
  readonly name: string
}

/** The account's checks and groups that name the snippet. Reads their definitions: for deletions, which are rare. */
export async function usesOfSnippet(
  db: Kysely<Schema>,
  accountId: string,
  snippetId: number,
): Promise<SnippetUse[]> {
  const checks = await mentioning(db, 'checks', accountId, snippetId)
  const groups = await mentioning(db, 'checkGroups', accountId, snippetId)
  const uses = (what: SnippetUse['what'], rows: typeof checks) =>
    rows.filter((row) => names(row.definition, snippetId)).map(({ id, name }) => ({ what, id, name }))
  return [...uses('check', checks), ...uses('check group', groups)]
}

/** The text stands in a definition that names the snippet, or another whose id begins with the same digits. */
function mentioning(
  db: Kysely<Schema>,
  table: 'checks' | 'checkGroups',
  accountId: string,
  snippetId: number,
): Promise<{ id: string | number; name: string; definition: string }[]> {
  return db
    .selectFrom(table)
    .select(['id', 'name', 'definition'])
    .where('accountId', '=', accountId)
    .where((eb) =>
      eb.or([
        eb('definition', 'like', `%"setupSnippetId":${snippetId}%`),
        eb('definition', 'like', `%"tearDownSnippetId":${snippetId}%`),
      ]),
    )
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

function names(definition: string, snippetId: number): boolean {
  const { setupSnippetId, tearDownSnippetId }: Record<string, unknown> = JSON.parse(definition)
  return setupSnippetId === snippetId || tearDownSnippetId === snippetId
}
