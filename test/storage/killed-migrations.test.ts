import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { migrations } from '../../src/storage/migrations.ts'
import { emptyDatabaseUrl, forEachEngine } from '../support/databases.ts'
import { startPicket } from '../support/picket-process.ts'

/** Many processes are started. */
vi.setConfig({ testTimeout: 120_000 })

const names = migrations.map(({ name }) => name)
const script = join(import.meta.dirname, '../support/migrate-and-die.ts')

/** How many statements it carried out; null when it was killed before the one that is told. */
async function migrateUntil(url: string, statement: number): Promise<number | null> {
  const child = spawn(process.execPath, [script, url, String(statement)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const [, signal] = await once(child, 'close')
  return signal === 'SIGKILL' ? null : Number(said)
}

async function appliedIn(database: Database): Promise<readonly string[]> {
  const rows = await sql<{ name: string }>`select name from migrations order by name`
    .execute(database.kysely)
    .catch(() => ({ rows: [] }))
  return rows.rows.map(({ name }) => name)
}

forEachEngine((engine) => {
  test('killed before any of its statements, a migration has done nothing, and the next process makes it whole', async () => {
    const statements = (await migrateUntil(await emptyDatabaseUrl(engine), Number.POSITIVE_INFINITY)) ?? 0
    expect(statements).toBeGreaterThan(50)
    const step = Math.ceil(statements / 8)
    const points = [...Array.from({ length: 8 }, (_, n) => n * step), statements - 1]
    for (const point of points.filter((n) => n < statements)) {
      const url = await emptyDatabaseUrl(engine)
      expect(await migrateUntil(url, point)).toBeNull()
      const database = await openDatabase(url)
      expect(await appliedIn(database)).toEqual([])
      expect(await migrate(database)).toEqual(names)
      expect(await appliedIn(database)).toEqual(names)
      await database.close()
    }
  })

  test('a binary that is older than the schema ends with 1 and says what to start', async () => {
    const url = await emptyDatabaseUrl(engine)
    const database = await openDatabase(url)
    onTestFinished(() => database.close())
    await migrate(database)
    await database.kysely.insertInto('migrations').values({ name: '9999-of-tomorrow' }).execute()
    const env = {
      PICKET_DATABASE_URL: url,
      PICKET_PORT: '0',
      PICKET_SECRET_KEY: 'the key that seals secrets in tests',
    }
    for (const command of ['migrate', 'server']) {
      const picket = startPicket([command], env)
      expect(await picket.exit()).toBe(1)
      expect(picket.stderr()).toContain('start the version that brought it up to date')
      expect(picket.stderr()).not.toContain('    at ')
    }
  })
})
