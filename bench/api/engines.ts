import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../src/storage/database.ts'
import { setup, teardown } from '../../test/support/postgres-server.ts'
import { engines } from './settings.ts'

/** Bytes on disk, indexes and all. */
export interface DiskUse {
  readonly results: number
  readonly rollups: number
  readonly all: number
}

/** An empty database, and the server of it. */
export interface Engine {
  readonly title: string
  readonly url: string
  diskUse(): Promise<DiskUse>
  close(): Promise<void>
}

/** One after the other, each with an empty database (BENCH_ENGINES). */
export async function onEachEngine<Found>(measure: (engine: Engine) => Promise<Found>): Promise<Found[]> {
  const found: Found[] = []
  for (const name of engines) {
    const engine = await (name === 'postgres' ? openPostgres() : openSqlite())
    try {
      found.push(await measure(engine))
    } finally {
      await engine.close()
    }
  }
  return found
}

async function openSqlite(): Promise<Engine> {
  const dir = await mkdtemp(join(tmpdir(), 'picket-bench-'))
  const file = join(dir, 'picket.db')
  const url = `sqlite:${file}`
  const remove = () => rm(dir, { recursive: true, force: true })
  return {
    title: 'SQLite',
    url,
    diskUse: async () => {
      const of = (table: string) =>
        firstNumber(
          url,
          `select sum(pgsize) as bytes from dbstat where name in
          (select name from sqlite_schema where tbl_name = '${table}')`,
        )
      const [results, rollups] = [await of('check_results'), await of('result_rollups')]
      return { results, rollups, all: (await stat(file)).size }
    },
    close: remove,
  }
}

/** The one of the tests: what only guards against a power cut is off, so that its writes do not wait for the disk. */
async function openPostgres(): Promise<Engine> {
  let url = ''
  const project: Pick<TestProject, 'provide'> = {
    provide: (_name, value) => {
      url = value
    },
  }
  // Of the project it is this that the server of the tests uses.
  await setup(project as TestProject)
  const of = (table: string) =>
    firstNumber(
      url,
      `select sum(pg_total_relation_size(oid)) as bytes from pg_class
      where relkind = 'r' and relname like '${table}%'`,
    )
  return {
    title: 'PostgreSQL',
    url,
    diskUse: async () => ({
      results: await of('check_results'),
      rollups: await of('result_rollups'),
      all: await firstNumber(url, 'select pg_database_size(current_database()) as bytes'),
    }),
    close: teardown,
  }
}

async function firstNumber(url: string, query: string): Promise<number> {
  const database = await openDatabase(url)
  const { rows } = await sql.raw<{ bytes: number }>(query).execute(database.kysely)
  await database.close()
  return Number(rows[0]?.bytes ?? 0)
}
