import { sql } from 'kysely'
import type { Database } from '../../src/storage/database.ts'

async function tables({ kysely }: Database): Promise<string[]> {
  const found = await kysely.introspection.getTables()
  return found.map(({ name }) => name)
}

/** How many rows each table has. */
export async function rowCounts(database: Database): Promise<Readonly<Record<string, number>>> {
  const counts = (await tables(database)).map(
    (name) => sql`select ${sql.lit(name)} as name, count(*) as rows from ${sql.table(name)}`,
  )
  const { rows } = await sql<{ name: string; rows: number }>`${sql.join(counts, sql` union all `)}`.execute(
    database.kysely,
  )
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]))
}

/** Every row of every table, as texts that can be compared. */
export async function allRows(database: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const content: Record<string, readonly string[]> = {}
  for (const name of await tables(database)) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(database.kysely)
    content[name] = rows.map((row) => JSON.stringify(row))
  }
  return content
}
