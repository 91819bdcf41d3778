import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { findAccount, insertAccount, listAccounts } from '../../src/storage/accounts.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { forEachEngine, openFresh } from '../support/databases.ts'
import { addAccount, t0 } from '../support/storage-rows.ts'

const account = (id: string) => ({ id, name: id, runtimeId: '2026.04', createdAt: t0 })

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'picket-database-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

forEachEngine((engine, open) => {
  test('says which engine it is', async () => {
    expect((await open()).engine).toBe(engine)
  })

  test('keeps all of a transaction, or nothing of it', async () => {
    const database = await open()
    const failing = database.transaction(async (db) => {
      await insertAccount(db, account('lost'))
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    await database.transaction((db) => insertAccount(db, account('kept')))
    expect((await listAccounts(database.kysely)).map(({ id }) => id)).toEqual(['kept'])
  })

  test('shows nothing of a transaction to others before it ends', async () => {
    const database = await open()
    const { promise: written, resolve: sayWritten } = Promise.withResolvers<void>()
    const { promise: end, resolve: endIt } = Promise.withResolvers<void>()
    const transaction = database.transaction(async (db) => {
      await insertAccount(db, account('early'))
      sayWritten()
      await end
      throw new Error('on purpose')
    })
    await written
    // On SQLite the others wait for the end.
    const found = findAccount(database.kysely, 'early')
    if (engine === 'sqlite') endIt()
    expect(await found).toBeUndefined()
    endIt()
    await expect(transaction).rejects.toThrow('on purpose')
  })

  test('reads large integers as numbers', async () => {
    const database = await open()
    const id = await addAccount(database)
    expect((await findAccount(database.kysely, id))?.createdAt).toBe(t0)
  })

  test('goes on after a statement that failed', async () => {
    const database = await open()
    await insertAccount(database.kysely, account('twice'))
    await expect(insertAccount(database.kysely, account('twice'))).rejects.toThrow()
    expect(await listAccounts(database.kysely)).toHaveLength(1)
  })
})

describe('opening', () => {
  test.each([
    'sqlite:',
    'mysql://127.0.0.1/picket',
    'picket.db',
    '',
    'postgres://user:pass word@:not-a-port/db',
  ])('refuses %j as a URL', async (url) => {
    await expect(openDatabase(url)).rejects.toMatchObject({ code: 'DATABASE_URL_INVALID', fatal: true })
  })

  test('makes the folder of an SQLite file', async () => {
    const file = join(temporaryFolder(), 'deep', 'down', 'picket.db')
    const database = await openDatabase(`sqlite:${file}`)
    await database.close()
    expect(existsSync(file)).toBe(true)
  })

  test('says so when an SQLite file cannot be opened', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a-file'), 'x')
    writeFileSync(
      join(folder, 'no-database'),
      'this is not a database, and long enough to be seen as none'.repeat(20),
    )
    for (const path of ['a-file/picket.db', 'no-database']) {
      await expect(openDatabase(`sqlite:${join(folder, path)}`)).rejects.toMatchObject({
        code: 'DATABASE_UNREACHABLE',
      })
    }
  })

  test('says so when PostgreSQL is not there or does not let us in, without the password', async () => {
    const wrongPassword = new URL(inject('postgresUrl'))
    wrongPassword.password = 'not-the-one'
    for (const url of ['postgres://picket:not-the-one@127.0.0.1:1/picket', wrongPassword.href]) {
      const error: unknown = await openDatabase(url).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'DATABASE_UNREACHABLE' })
      expect(String(error)).not.toContain('not-the-one')
    }
  })
})

describe('SQLite', () => {
  test('survives a power cut with all that was acknowledged', async () => {
    const database = await openDatabase(`sqlite:${join(temporaryFolder(), 'picket.db')}`)
    onTestFinished(() => database.close())
    const pragma = async (name: string) =>
      Object.values((await sql.raw<object>(`pragma ${name}`).execute(database.kysely)).rows[0] ?? {})[0]
    expect(await pragma('journal_mode')).toBe('wal')
    expect(await pragma('synchronous')).toBe(2)
    expect(await pragma('foreign_keys')).toBe(1)
  })

  test('takes its write lock when a transaction begins', async () => {
    const file = join(temporaryFolder(), 'picket.db')
    const [first, second] = [await openDatabase(`sqlite:${file}`), await openDatabase(`sqlite:${file}`)]
    onTestFinished(() => first.close())
    onTestFinished(() => second.close())
    let over = false
    const began = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = first.transaction(async () => {
      began.resolve()
      await release.promise
      over = true
    })
    await began.promise
    const waiting = second.transaction(async () => expect(over).toBe(true))
    release.resolve()
    await Promise.all([holding, waiting])
  })

  test('answers more different statements than it keeps prepared', async () => {
    const database = await openDatabase('sqlite::memory:')
    onTestFinished(() => database.close())
    for (let n = 0; n < 700; n += 1) {
      const { rows } = await sql.raw<{ n: number }>(`select ${n % 350} as n`).execute(database.kysely)
      expect(rows).toEqual([{ n: n % 350 }])
    }
  })
})

describe('PostgreSQL', () => {
  test('leaves integers of 64 bits exact for other clients of the process', async () => {
    const database = await openDatabase(inject('postgresUrl'))
    onTestFinished(() => database.close())
    const other = new Client({ connectionString: inject('postgresUrl') })
    await other.connect()
    onTestFinished(() => other.end())
    const statement = 'select 9007199254740993::int8 as n'
    expect((await sql.raw(statement).execute(database.kysely)).rows).toEqual([{ n: 9007199254740992 }])
    expect((await other.query(statement)).rows).toEqual([{ n: '9007199254740993' }])
  })

  test('stays usable when the server ends its connections', async () => {
    const database = await openDatabase(inject('postgresUrl'))
    onTestFinished(() => database.close())
    const self = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.kysely)
    const other = new Client({ connectionString: inject('postgresUrl') })
    await other.connect()
    onTestFinished(() => other.end())
    await other.query('select pg_terminate_backend($1, 5000)', [self.rows[0]?.pid])
    await expect
      .poll(
        () =>
          sql`select 1 as one`.execute(database.kysely).then(
            ({ rows }) => rows,
            () => null,
          ),
        { timeout: 10_000 },
      )
      .toEqual([{ one: 1 }])
  })
})

test('on PostgreSQL two transactions that wait for each other both end well: one of them runs again', async () => {
  const database = await openFresh('postgres')
  const ids = [await addAccount(database), await addAccount(database)] as const
  const bothBegan = Promise.withResolvers<void>()
  let runs = 0
  const rename = (first: string, second: string, name: string) =>
    database.transaction(async (db) => {
      const update = (id: string) => db.updateTable('accounts').set({ name }).where('id', '=', id).execute()
      await update(first)
      runs += 1
      if (runs === 2) bothBegan.resolve()
      await bothBegan.promise
      await update(second)
    })
  await Promise.all([rename(ids[0], ids[1], 'there'), rename(ids[1], ids[0], 'back')])
  const names = new Set((await listAccounts(database.kysely)).map(({ name }) => name))
  expect(names.size).toBe(1)
  expect(runs).toBe(3)
})
