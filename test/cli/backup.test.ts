import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { backUp } from '../../src/storage/back-up.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { migrations } from '../../src/storage/migrations.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { type PicketProcess, startPicket } from '../support/picket-process.ts'

/** Several commands each, one after the other. */
vi.setConfig({ testTimeout: 90_000 })

const apiKey = 'pk_a-key-that-the-tests-know'
const envOf = (dir: string) => ({ PICKET_DATA_DIR: dir, PICKET_PORT: '0', PICKET_API_KEY: apiKey })

interface Said {
  readonly code: number | null
  readonly text: string
}

async function say(dir: string, ...args: string[]): Promise<Said> {
  const picket = startPicket(args, envOf(dir))
  const code = await picket.exit()
  return { code, text: picket.stdout() + picket.stderr() }
}

interface Service {
  readonly process: PicketProcess
  call(method: string, path: string, body?: unknown): Promise<unknown>
  stop(): Promise<void>
}

async function startService(dir: string): Promise<Service> {
  const server = startPicket(['server'], envOf(dir))
  const stop = async () => {
    server.signal('SIGTERM')
    await server.exit()
  }
  onTestFinished(stop)
  const url = String((await server.logged('the service is ready'))['url'])
  return {
    process: server,
    stop,
    call: async (method, path, body) => {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(url + path, { method, headers, ...sent })
      expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true)
      return response.json()
    },
  }
}

/** A database with the schema, and its path. */
async function emptyService(): Promise<{ dir: string; path: string }> {
  const dir = await makeDataDir()
  expect((await say(dir, 'migrate')).code).toBe(0)
  return { dir, path: join(dir, 'picket.db') }
}

describe('a backup', () => {
  test('of a database that is written to all the while is whole, and as it was at one moment', async () => {
    const { dir, path } = await emptyService()
    const database = await openDatabase(`sqlite:${path}`)
    onTestFinished(() => database.close())
    const writer = new DatabaseSync(path)
    onTestFinished(() => writer.close())
    writer.exec('create table pairs (side text not null, body blob not null)')
    const insert = writer.prepare('insert into pairs values (?, zeroblob(20000))')
    const writePair = () => {
      writer.exec('begin immediate')
      insert.run('left')
      insert.run('right')
      writer.exec('commit')
    }
    for (let n = 0; n < 1500; n += 1) writePair()
    const told: number[] = []
    let before = 0
    const writing = setInterval(() => {
      writePair()
      before += 1
    }, 1)
    onTestFinished(() => clearInterval(writing))
    const target = join(dir, 'backup.db')
    await backUp(path, target, (share) => told.push(share))
    clearInterval(writing)
    expect(before).toBeGreaterThan(0)
    expect(told.length).toBeGreaterThan(1)
    expect(told.at(-1)).toBe(1)
    expect(statSync(target).mode & 0o777).toBe(0o600)
    const copy = new DatabaseSync(target, { readOnly: true })
    onTestFinished(() => copy.close())
    expect(copy.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    const counts = copy.prepare('select side, count(*) as n from pairs group by side').all()
    expect(counts[0]?.['n']).toBe(counts[1]?.['n'])
    expect(readdirSync(dir).filter((name) => name.startsWith('backup.db'))).toEqual(['backup.db'])
  })

  test('is never written over another file, and leaves nothing where it cannot be made', async () => {
    const { dir, path } = await emptyService()
    const taken = join(dir, 'taken')
    writeFileSync(taken, 'mine')
    await expect(backUp(path, taken, () => {})).rejects.toMatchObject({ code: 'BACKUP_EXISTS' })
    expect(readFileSync(taken, 'utf8')).toBe('mine')
    const nowhere = join(dir, 'none', 'backup.db')
    await expect(backUp(path, nowhere, () => {})).rejects.toMatchObject({ code: 'BACKUP_FAILED' })
    await expect(backUp(join(dir, 'no.db'), join(dir, 'x.db'), () => {})).rejects.toMatchObject({
      code: 'BACKUP_FAILED',
    })
    expect(readdirSync(dir).filter((name) => name.includes('part') || name.startsWith('x'))).toEqual([])
  })

  test('of PostgreSQL is left to pg_dump: its command is named, the password is not', async () => {
    const env = { PICKET_DATABASE_URL: 'postgres://picket:not-to-be-seen@127.0.0.1/picket' }
    for (const [command, tool] of [
      ['backup', 'pg_dump'],
      ['restore', 'pg_restore'],
    ] as const) {
      const picket = startPicket([command, 'file'], env)
      expect(await picket.exit()).toBe(1)
      expect(picket.stderr()).toContain(`${tool} --`)
      expect(picket.stderr()).toContain('PICKET_SECRET_KEY')
      expect(picket.stderr()).not.toContain('not-to-be-seen')
    }
  })
})

describe('a restored service', () => {
  test('has its checks, keys and secrets again, from a backup made while it ran', async () => {
    const dir = await makeDataDir()
    const service = await startService(dir)
    const check = await service.call('POST', '/v1/checks/api', apiCheckBody({ name: 'kept' }))
    await service.call('POST', '/v1/variables', { key: 'TOKEN', value: 'a-sealed-value', secret: true })
    const file = join(dir, 'backup.db')
    const made = await say(dir, 'backup', file, '--with-key')
    expect(made).toMatchObject({ code: 0 })
    expect(made.text).toContain(`${file}.key`)
    expect(statSync(`${file}.key`).mode & 0o777).toBe(0o600)
    await service.call('POST', '/v1/checks/api', apiCheckBody({ name: 'made after the backup' }))
    await service.stop()

    const other = await makeDataDir()
    expect(await say(other, 'restore', file)).toMatchObject({ code: 0 })
    const restored = await startService(other)
    const checks = await restored.call('GET', '/v1/checks')
    expect(checks).toMatchObject([{ id: (check as { id: string }).id, name: 'kept' }])
    expect(await restored.call('GET', '/v1/variables')).toHaveLength(1)
  })

  test('needs its key: a backup alone tells so when it is made and is refused where the key is not', async () => {
    const dir = await makeDataDir()
    await (await startService(dir)).stop()
    const file = join(dir, 'backup.db')
    expect((await say(dir, 'backup', file)).text).toContain('without it they are lost')
    const other = await makeDataDir()
    const refused = await say(other, 'restore', file)
    expect(refused.code).toBe(1)
    expect(refused.text).toContain('encrypted with another key')
    expect(existsSync(join(other, 'picket.db'))).toBe(false)
    expect(readdirSync(other)).toEqual([])
  })

  test('takes the place of another only when told, never of one that runs, and keeps what was there', async () => {
    const dir = await makeDataDir()
    const service = await startService(dir)
    const file = join(dir, 'backup.db')
    expect((await say(dir, 'backup', file)).code).toBe(0)
    await service.call('POST', '/v1/checks/api', apiCheckBody({ name: 'later' }))
    const running = await say(dir, 'restore', file, '--replace')
    expect(running).toMatchObject({ code: 1, text: expect.stringContaining('stop the service') })
    expect(await service.call('GET', '/v1/checks')).toHaveLength(1)
    await service.stop()
    const untold = await say(dir, 'restore', file)
    expect(untold).toMatchObject({ code: 1, text: expect.stringContaining('--replace') })
    expect((await say(dir, 'restore', file, '--replace')).code).toBe(0)

    const kept = readdirSync(dir).filter((name) => name.includes('replaced'))
    expect(kept).toHaveLength(1)
    const before = new DatabaseSync(join(dir, kept[0] ?? ''), { readOnly: true })
    onTestFinished(() => before.close())
    expect(before.prepare('select count(*) as n from checks').get()).toEqual({ n: 1 })
    expect(await (await startService(dir)).call('GET', '/v1/checks')).toEqual([])
  })

  test.each([
    ['a file that is cut short', (file: string) => truncateSync(file, 300_000)],
    ['no database at all', (file: string) => writeFileSync(file, 'x'.repeat(50_000))],
    [
      "another program's database",
      (file: string) => {
        writeFileSync(file, '')
        const database = new DatabaseSync(file)
        database.exec('create table albums (name text)')
        database.close()
      },
    ],
  ])('is never made of %s, and what is there stays', async (_what, spoil) => {
    const { dir, path } = await emptyService()
    const file = join(dir, 'backup.db')
    await backUp(path, file, () => {})
    spoil(file)
    const before = readFileSync(path)
    const refused = await say(dir, 'restore', file, '--replace')
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('no whole backup') })
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(dir).filter((name) => name.includes('part') || name.includes('replaced'))).toEqual([])
  })

  test('is never made of a backup of a later version, nor of the file of a running service', async () => {
    const { dir, path } = await emptyService()
    const database = await openDatabase(`sqlite:${path}`)
    const other = await makeDataDir()
    expect(await say(other, 'restore', path)).toMatchObject({
      code: 1,
      text: expect.stringContaining('no whole backup'),
    })
    await database.kysely.insertInto('migrations').values({ name: '9999-of-tomorrow' }).execute()
    await database.close()
    const file = join(dir, 'backup.db')
    await backUp(path, file, () => {})
    expect(await say(other, 'restore', file)).toMatchObject({
      code: 1,
      text: expect.stringContaining('newer than this version'),
    })
    expect(readdirSync(other)).toEqual([])
  })

  test('is brought up to date from a backup of an earlier version', async () => {
    const dir = await makeDataDir()
    const file = join(dir, 'backup.db')
    await olderDatabase(file)
    const other = await makeDataDir()
    expect(await say(other, 'restore', file)).toMatchObject({ code: 0 })
    const database = await openDatabase(`sqlite:${join(other, 'picket.db')}`)
    onTestFinished(() => database.close())
    expect(await migrate(database)).toEqual([])
  })
})

/** As the third migration left it, in one file. */
async function olderDatabase(file: string): Promise<void> {
  const database = await openDatabase(`sqlite:${file}`)
  await sql`create table migrations (name text not null primary key)`.execute(database.kysely)
  for (const { name, up } of migrations.slice(0, 3)) {
    await up(database.kysely, 'sqlite')
    await database.kysely.insertInto('migrations').values({ name }).execute()
  }
  await database.close()
}
