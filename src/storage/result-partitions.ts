import { type Kysely, sql } from 'kysely'
import { dayMs } from '../rules/rollup-time.ts'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'
import { takeTurn } from './take-turn.ts'

const weekMs = 7 * dayMs
/** The first Monday of the epoch: weeks begin on Mondays, UTC. */
const firstMonday = 4 * dayMs
const weeksAhead = 4
/** A result starts no later than this after it was due: the longest interval, and its retries. */
const latestStartMs = 2 * dayMs
/** Whoever waits for a table holds up all that come behind: better to try again in an hour. */
const lockTimeout = '3s'
const lockNotAvailable = '55P03'

/** `to` is the first dueAt that is not in it; null in the one of all that has no other. */
interface Partition {
  readonly name: string
  readonly to: number | null
}

/** Those of PostgreSQL; none on SQLite, where results are one table. */
export async function listResultPartitions({ engine, kysely: db }: Database): Promise<Partition[]> {
  if (engine === 'sqlite') return []
  const { rows } = await sql<{ name: string; bound: string }>`
    select child.relname as name, pg_get_expr(child.relpartbound, child.oid) as bound
    from pg_inherits join pg_class child on child.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = to_regclass('check_results')
    order by child.relname`.execute(db)
  return rows.map(({ name, bound }) => ({ name, to: Number(/TO \('(\d+)'\)/.exec(bound)?.[1] ?? 0) || null }))
}

/** Makes those of this week and the next ones; true when some were missing. Several servers may do so at once. */
export async function makeResultPartitions(database: Database, now: number): Promise<boolean> {
  if (database.engine === 'sqlite') return false
  if (missing(await listResultPartitions(database), now).length === 0) return false
  return whenFree(() =>
    database.transaction(async (db) => {
      await takeTurn(db)
      await sql.raw(`set local lock_timeout = '${lockTimeout}'`).execute(db)
      const known = await listResultPartitions({ ...database, kysely: db })
      for (const week of missing(known, now)) await makeWeek(db, week)
    }),
  )
}

/** Starts of the weeks without a partition. */
function missing(known: readonly Partition[], now: number): number[] {
  const thisWeek = Math.floor((now - firstMonday) / weekMs) * weekMs + firstMonday
  const weeks = Array.from({ length: weeksAhead + 1 }, (_, index) => thisWeek + index * weekMs)
  const names = new Set(known.map(({ name }) => name))
  const { to = null } = known.find(({ name }) => name === 'check_results_before') ?? {}
  return weeks.filter((week) => !names.has(weekName(week)) && week >= (to ?? 0))
}

const weekName = (week: number): string =>
  `check_results_${new Date(week).toISOString().slice(0, 10).replaceAll('-', '')}`

/** Results of the week that came before it had a partition move there. */
async function makeWeek(db: Kysely<Schema>, week: number): Promise<void> {
  const name = weekName(week)
  const bounds = `due_at >= ${week} and due_at < ${week + weekMs}`
  const statements = [
    // Whoever stores a result now waits here: routed to the rest before, its row would no longer belong there.
    'lock table only check_results in share row exclusive mode',
    'lock table check_results_rest in access exclusive mode',
    `create table ${name} (like check_results)`,
    `with moved as (delete from check_results_rest where ${bounds} returning *) insert into ${name} select * from moved`,
    `alter table check_results attach partition ${name} for values from (${week}) to (${week + weekMs})`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Those of which every result started before; without reading a row. */
export async function dropResultPartitions(database: Database, before: number): Promise<void> {
  const partitions = await listResultPartitions(database)
  const over = partitions.filter(({ to }) => to !== null && to + latestStartMs <= before)
  for (const { name } of over) {
    const done = await whenFree(() =>
      database.transaction(async (db) => {
        await sql.raw(`set local lock_timeout = '${lockTimeout}'`).execute(db)
        await sql.raw(`drop table if exists ${name}`).execute(db)
      }),
    )
    if (!done) return
  }
}

/** False when somebody used the tables all the while: nothing was done. */
async function whenFree(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === lockNotAvailable) return false
    throw error
  }
}
