import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Pool } from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/storage/database.ts'
import { guardedPool, liftDeadline } from '../../src/storage/guarded-pool.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { probe } from '../../src/storage/probe.ts'
import { mayMount, SmallDisk } from '../chaos/small-disk.ts'
import { emptyDatabaseUrl } from '../support/databases.ts'
import { logLines } from '../support/log-lines.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { startTestService, type TestService } from '../support/test-service.ts'
import { resultsToUpload, storedResultIds, uploadAll } from '../support/uploads.ts'

/** They start servers of their own. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (let step = undo.pop(); step; step = undo.pop()) await step()
})

const { logger } = logLines()

async function serviceOver(url: string): Promise<TestService> {
  const database = await openDatabase(url)
  await migrate(database)
  const service = await startTestService({ database, logger })
  undo.push(() => service.close())
  return service
}

async function holdFile(path: string): Promise<() => Promise<void>> {
  const script = join(import.meta.dirname, '../support/hold-file.ts')
  const holder = spawn(process.execPath, [script, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  undo.push(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return async () => {
    holder.stdin.end()
    await once(holder, 'exit')
  }
}

describe('an SQLite file', () => {
  test('that another process holds for long: requests are told within 6 seconds all together, reads go on, nothing is lost', async () => {
    const url = await emptyDatabaseUrl('sqlite')
    const service = await serviceOver(url)
    const results = await resultsToUpload(service, 10)
    const letGo = await holdFile(url.slice('sqlite:'.length))
    const startedAt = performance.now()
    const first = await Promise.all(
      results.map((result) => service.agent('results', { agentId: crypto.randomUUID(), results: [result] })),
    )
    expect(performance.now() - startedAt).toBeLessThan(6500)
    expect(first.map(({ statusCode }) => statusCode)).toEqual(results.map(() => 503))
    expect(first[0]?.json()).toMatchObject({ message: 'The database is busy: try again' })
    expect((await service.api('GET', '/v1/accounts/me')).statusCode).toBe(200)
    await letGo()
    const { acknowledged } = await uploadAll(service, results)
    expect((await storedResultIds(service.database)).toSorted()).toEqual(acknowledged.toSorted())
  })

  test('that is held shortly: requests wait, and other work of the process goes on meanwhile', async () => {
    const url = await emptyDatabaseUrl('sqlite')
    const service = await serviceOver(url)
    const results = await resultsToUpload(service, 1)
    const letGo = await holdFile(url.slice('sqlite:'.length))
    const upload = uploadAll(service, results)
    let turns = 0
    const turning = setInterval(() => {
      turns += 1
      if (turns === 10) void letGo()
    }, 10)
    expect(await upload).toMatchObject({ refusals: 0, acknowledged: [results[0]?.id] })
    clearInterval(turning)
    expect(turns).toBeGreaterThanOrEqual(10)
  })

  test('without room: what was acknowledged is stored, the rest is taken once there is room', async () => {
    const service = await serviceOver(await emptyDatabaseUrl('sqlite'))
    const { kysely } = service.database
    const results = await resultsToUpload(service, 60)
    const { rows } = await sql<{ pages: number }>`select page_count as pages from pragma_page_count`.execute(
      kysely,
    )
    await sql.raw(`pragma max_page_count = ${(rows[0]?.pages ?? 0) + 3}`).execute(kysely)
    const answers = await Promise.all(
      results.map((result) => service.agent('results', { agentId: crypto.randomUUID(), results: [result] })),
    )
    const taken = results.filter((_, index) => answers[index]?.statusCode === 200).map(({ id }) => id)
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 503]))
    expect((await storedResultIds(service.database)).toSorted()).toEqual(taken.toSorted())
    await sql.raw('pragma max_page_count = 1000000').execute(kysely)
    await uploadAll(service, results)
    expect((await storedResultIds(service.database)).toSorted()).toEqual(
      results.map(({ id }) => id).toSorted(),
    )
  })
})

test.skipIf(!mayMount())(
  'an SQLite file on a disk that is full takes nothing, loses nothing and goes on when there is room',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'picket-full-'))
    const disk = new SmallDisk(folder)
    undo.push(() => rm(folder, { recursive: true, force: true }))
    undo.push(() => disk.remove())
    const service = await serviceOver(`sqlite:${join(folder, 'picket.db')}`)
    const results = await resultsToUpload(service, 300)
    const [before, after] = [results.slice(0, 20), results.slice(20)]
    await uploadAll(service, before)
    disk.fill()
    const refused = await Promise.all(
      after.map((result) => service.agent('results', { agentId: crypto.randomUUID(), results: [result] })),
    )
    expect(refused.filter(({ statusCode }) => statusCode === 503).length).toBeGreaterThan(0)
    expect(refused.every(({ statusCode }) => statusCode === 503 || statusCode === 200)).toBe(true)
    expect((await service.app.inject('/health')).statusCode).toBe(503)
    disk.free()
    await uploadAll(service, after)
    expect(new Set(await storedResultIds(service.database)).size).toBe(300)
    await expect(probe(service.database)).resolves.toBeUndefined()
  },
)

describe('PostgreSQL', () => {
  test('is told to end what takes longer than 30 s, before an agent gives its upload up', async () => {
    const database = await openDatabase(await emptyDatabaseUrl('postgres'))
    undo.push(() => database.close())
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout']) {
      const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(
        database.kysely,
      )
      expect(rows).toEqual([{ value: '30s' }])
    }
  })

  test('restarted, crashed and frozen under a load of uploads: acknowledged is stored, and only "try again" is answered', async () => {
    const postgres = await startOwnPostgres()
    undo.push(() => postgres.dispose())
    const service = await serviceOver(postgres.url)
    const results = await resultsToUpload(service, 600)
    const troubles: Promise<void>[] = []
    const after: Readonly<Record<number, () => Promise<void>>> = {
      100: () => postgres.stop('fast').then(postgres.start),
      250: () => postgres.stop('immediate').then(postgres.start),
      400: async () => {
        postgres.freeze()
        // Nothing happens that could be awaited: so long the database stands still.
        await new Promise((resolve) => setTimeout(resolve, 500))
        postgres.thaw()
      },
    }
    const { acknowledged, refusals } = await uploadAll(service, results, (count) => {
      const trouble = after[count]
      if (trouble) troubles.push(trouble())
    })
    await Promise.all(troubles)
    expect(troubles).toHaveLength(3)
    expect(refusals).toBeGreaterThan(0)
    const stored = await storedResultIds(service.database)
    expect(stored.toSorted()).toEqual(acknowledged.toSorted())
    expect(new Set(stored).size).toBe(600)
  })

  test('that says nothing is given up after the time that an answer may take, except where that was lifted', async () => {
    const postgres = await startOwnPostgres()
    undo.push(() => postgres.dispose())
    const pool = new Pool({ connectionString: postgres.url, connectionTimeoutMillis: 500, max: 2 })
    pool.on('error', () => {})
    undo.push(() => pool.end())
    const guarded = guardedPool(pool, 300)
    const [client, patient] = [await guarded.connect(), await guarded.connect()]
    await patient.query('begin', [])
    await patient.query(liftDeadline, [])
    postgres.freeze()
    const slow = patient.query('select 1 as one', [])
    await expect(client.query('select 1', [])).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await expect(client.query('rollback', [])).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    client.release()
    await expect(guarded.connect()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    postgres.thaw()
    expect(await slow).toMatchObject({ rows: [{ one: 1 }] })
    patient.release()
    const fresh = await guarded.connect()
    expect(await fresh.query('select 2 as two', [])).toMatchObject({ rows: [{ two: 2 }] })
    fresh.release()
  })

  test('that takes no writes is left for the server that took its place', async () => {
    const postgres = await startOwnPostgres()
    undo.push(() => postgres.dispose())
    const database = await openDatabase(postgres.url)
    undo.push(() => database.close())
    await migrate(database)
    const before = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.kysely)
    await sql`alter system set default_transaction_read_only = on`.execute(database.kysely)
    await sql`select pg_reload_conf()`.execute(database.kysely)
    const write = () =>
      database.kysely.insertInto('migrations').values({ name: crypto.randomUUID() }).execute()
    await expect
      .poll(() => write().catch((error: unknown) => error))
      .toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await expect(probe(database)).rejects.toMatchObject({ message: 'The database cannot be written' })
    const after = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.kysely)
    expect(after.rows[0]?.pid).not.toBe(before.rows[0]?.pid)
  })
})
