import { CompiledQuery, type Kysely } from 'kysely'
import { type Engine, engineOf } from './engine.ts'
import type { Schema } from './schema.ts'

type Column<T extends keyof Schema> = keyof Schema[T] & string

/** How rows of one table are written. Made once, by `rowWrite`: its statements are remembered with it. */
export interface RowWrite<T extends keyof Schema> {
  readonly columns: readonly Column<T>[]
  readonly texts: Map<string, string>
  /** SQL before and behind the values. */
  readonly insert: string
  readonly onConflict: string
}

/**
 * Rows of one statement. Few sizes, so that an engine prepares a few statements and not one for each count; the largest
 * stays under the engines' limits of bound values at the widest table (SQLite 32,766, PostgreSQL 65,535).
 */
const sizes = [256, 64, 16, 4, 1] as const

const inDatabase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * @param columns all that have no preset
 * @param identity columns of a unique index
 * @param same what becomes of a row with this identity that is there
 * @param onlyWhere SQL, in the names of the database: which of those are replaced
 */
export function rowWrite<T extends keyof Schema>(
  table: T,
  columns: readonly Column<T>[],
  identity: readonly Column<T>[],
  same: 'keep' | 'replace',
  onlyWhere?: string,
): RowWrite<T> {
  const replaced = columns.filter((column) => !identity.includes(column)).map(inDatabase)
  const set = replaced.map((name) => `${name} = excluded.${name}`).join(', ')
  const action = same === 'keep' ? 'nothing' : `update set ${set}`
  const condition = onlyWhere === undefined ? '' : ` where ${onlyWhere}`
  return {
    columns,
    texts: new Map(),
    insert: `insert into ${inDatabase(table)} (${columns.map(inDatabase).join(', ')}) values`,
    onConflict: `on conflict (${identity.map(inDatabase).join(', ')}) do ${action}${condition}`,
  }
}

/** Writes many rows by few statements; returns how many were written. No two may have one identity. */
export async function writeRows<T extends keyof Schema>(
  db: Kysely<Schema>,
  write: RowWrite<T>,
  rows: readonly Schema[T][],
): Promise<number> {
  const engine = engineOf(db)
  let written = 0n
  for (let from = 0; from < rows.length; ) {
    const size = sizes.find((some) => some <= rows.length - from) ?? 1
    const part = rows.slice(from, from + size)
    const values = part.flatMap((row) => write.columns.map((column): unknown => row[column]))
    const query = CompiledQuery.raw(textOf(engine, write, size), values)
    const { numAffectedRows = 0n } = await db.executeQuery(query)
    written += numAffectedRows
    from += size
  }
  return Number(written)
}

/** Not by the query builder: it makes a node of every value, which for a few hundred rows costs more than the engine. */
function textOf<T extends keyof Schema>(engine: Engine, write: RowWrite<T>, size: number): string {
  const key = `${engine} ${size}`
  const known = write.texts.get(key)
  if (known !== undefined) return known
  const { length: width } = write.columns
  const placeholder = engine === 'postgres' ? (index: number) => `$${index + 1}` : () => '?'
  const rows = Array.from({ length: size }, (_, row) => {
    const values = Array.from({ length: width }, (_value, column) => placeholder(row * width + column))
    return `(${values.join(', ')})`
  })
  const text = `${write.insert} ${rows.join(', ')} ${write.onConflict}`
  write.texts.set(key, text)
  return text
}
