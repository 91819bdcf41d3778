import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { readServerConfig } from '../../src/server/config.ts'
import { startServer } from '../../src/server/start-server.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { initial } from '../../src/storage/migrations/0001-initial.ts'
import { insertPrivateLocation } from '../../src/storage/private-locations.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { logLines } from '../support/log-lines.ts'
import { type PicketProcess, startPicket } from '../support/picket-process.ts'
import { addAccount } from '../support/storage-rows.ts'

const oneKey = 'the key of the first start, long enough'
const otherKey = 'the key of another start, long enough'
const apiKey = 'pk_a-key-that-the-tests-know'

/** Starts the service over the data folder, and closes it at the end of the test. */
async function start(dataDir: string, env: Readonly<Record<string, string>> = {}) {
  const { logger, lines } = logLines()
  const config = readServerConfig({
    PICKET_PORT: '0',
    PICKET_DATA_DIR: dataDir,
    PICKET_API_KEY: apiKey,
    ...env,
  })
  const server = await startServer({ config, clock: systemClock, logger, version: '0.0.0' })
  onTestFinished(() => server.close())
  const api = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await fetch(`${server.url}${path}`, init)
    return response.json()
  }
  return { ...server, lines, api }
}

async function startOnce(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const server = await start(dataDir, env)
  await server.close()
}

/** The same as a process of its own: on SQLite two servers in one process would wait for each other. */
function startProcess(dataDir: string, env: Readonly<Record<string, string>> = {}): PicketProcess {
  const server = startPicket(['server'], { PICKET_PORT: '0', PICKET_DATA_DIR: dataDir, ...env })
  onTestFinished(async () => {
    server.signal('SIGTERM')
    await server.exit()
  })
  return server
}

const keyFile = (dataDir: string) => join(dataDir, 'secret.key')
const leftovers = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith('secret.key.'))

describe('the first start over an SQLite file', () => {
  test('makes a key beside it for its owner alone, and the next start uses the same', async () => {
    const dir = await makeDataDir()
    await startOnce(dir)
    const key = readFileSync(keyFile(dir), 'utf8')
    expect(key.trim()).toMatch(/^[\w-]{43}$/)
    expect(statSync(keyFile(dir)).mode & 0o777).toBe(0o600)
    expect(leftovers(dir)).toEqual([])
    await startOnce(dir)
    expect(readFileSync(keyFile(dir), 'utf8')).toBe(key)
  })

  test('makes none where the settings give one', async () => {
    const dir = await makeDataDir()
    await startOnce(dir, { PICKET_SECRET_KEY: oneKey })
    expect(readdirSync(dir)).not.toContain('secret.key')
  })

  test('makes it beside the file, wherever that is', async () => {
    const dir = await makeDataDir()
    mkdirSync(join(dir, 'elsewhere'))
    await startOnce(dir, { PICKET_DATABASE_URL: `sqlite:${join(dir, 'elsewhere', 'p.db')}` })
    expect(readdirSync(join(dir, 'elsewhere'))).toContain('secret.key')
    expect(readdirSync(dir)).toEqual(['elsewhere'])
  })

  test('makes one key, whole, when several processes start at once', async () => {
    const dir = await makeDataDir()
    const paths = Array.from({ length: 200 }, (_, n) => join(dir, `${n}-secret.key`))
    const module = new URL('../../src/server/secrets/secret-key-file.ts', import.meta.url).href
    const script = `import { makeSecretKey } from '${module}'
      const keys = process.argv.slice(1).map((path) => makeSecretKey(path).reveal())
      process.stdout.write(JSON.stringify(keys))`
    const make = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, ...paths])
    const made = await Promise.all(Array.from({ length: 4 }, make))
    const kept = paths.map((path) => readFileSync(path, 'utf8').trim())
    expect(new Set(kept).size).toBe(paths.length)
    for (const { stdout } of made) expect(JSON.parse(stdout)).toEqual(kept)
    expect(readdirSync(dir)).toHaveLength(paths.length)
  }, 20_000)

  test('lets servers that start at once have one key, and all of them start', async () => {
    const dir = await makeDataDir()
    const servers = Array.from({ length: 3 }, () => startProcess(dir))
    await Promise.all(servers.map((server) => server.logged('the service is ready')))
    expect(leftovers(dir)).toEqual([])
  }, 20_000)
})

describe('a start with another key is refused before anything is served, and says what to do', () => {
  const wrong = {
    code: 'SECRET_KEY_WRONG',
    fatal: true,
    message: expect.stringContaining('set PICKET_SECRET_KEY to that key, or put the file secret.key'),
  }

  test.each<[string, (dir: string) => Readonly<Record<string, string>>]>([
    ['in the settings', () => ({ PICKET_SECRET_KEY: otherKey })],
    [
      'in the file',
      (dir) => {
        writeFileSync(keyFile(dir), otherKey)
        return {}
      },
    ],
    [
      'because the file is gone',
      (dir) => {
        rmSync(keyFile(dir))
        return {}
      },
    ],
  ])('%s', async (_what, change) => {
    const dir = await makeDataDir()
    await startOnce(dir)
    const key = readFileSync(keyFile(dir), 'utf8')
    const env = change(dir)
    const before = readdirSync(dir)
    await expect(start(dir, env)).rejects.toMatchObject(wrong)
    expect(readdirSync(dir).filter((name) => !name.startsWith('picket.db-'))).toEqual(
      before.filter((name) => !name.startsWith('picket.db-')),
    )
    writeFileSync(keyFile(dir), key)
    await startOnce(dir)
  })

  test('of two that start at once over one new database with a key each, one starts', async () => {
    const dir = await makeDataDir()
    const servers = [oneKey, otherKey].map((key) => startProcess(dir, { PICKET_SECRET_KEY: key }))
    const refused = await Promise.race(servers.map(async (server) => [await server.exit(), server.stderr()]))
    expect(refused).toEqual([1, expect.stringContaining('were encrypted with another key')])
    const ready = servers.map((server) => server.logged('the service is ready'))
    expect((await Promise.allSettled(ready)).map(({ status }) => status).toSorted()).toEqual([
      'fulfilled',
      'rejected',
    ])
  }, 20_000)
})

test.each<[string, (path: string) => void]>([
  ['empty', (path) => writeFileSync(path, '')],
  ['cut short', (path) => writeFileSync(path, 'abc')],
  ['a folder', (path) => mkdirSync(path)],
])('a secret.key that is %s is not used, and not written over', async (_what, spoil) => {
  const dir = await makeDataDir()
  spoil(keyFile(dir))
  await expect(start(dir)).rejects.toMatchObject({ code: 'SECRET_KEY_UNUSABLE', fatal: true })
})

test.each(['postgres://u:p@127.0.0.1:1/x', 'sqlite::memory:'])(
  '%s without PICKET_SECRET_KEY is refused, before the database is touched',
  async (PICKET_DATABASE_URL) => {
    const dir = await makeDataDir()
    await expect(start(dir, { PICKET_DATABASE_URL })).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringContaining('PICKET_SECRET_KEY is required with PostgreSQL'),
    })
    expect(readdirSync(dir)).toEqual([])
  },
)

describe('a database of the time before there were keys', () => {
  const proxyUrl = 'http://ada:hunter2-taint@proxy.example:3128'

  async function withPlainProxy(
    dir: string,
    makeSchema: (database: Database) => Promise<unknown> = migrate,
  ): Promise<void> {
    const database = await openDatabase(`sqlite:${join(dir, 'picket.db')}`)
    await makeSchema(database)
    await addPlace(database, proxyUrl, 'a')
    await addPlace(database, null, 'b')
    await addPlace(database, '', 'c')
    await database.close()
  }

  async function firstSchema({ kysely, engine }: Database): Promise<void> {
    await sql`create table migrations (name text not null primary key)`.execute(kysely)
    await initial(kysely, engine)
    await kysely.insertInto('migrations').values({ name: '0001-initial' }).execute()
  }

  async function addPlace(database: Database, proxy: string | null, slugName: string): Promise<void> {
    const [account] = await database.kysely.selectFrom('accounts').select('id').execute()
    const accountId = account?.id ?? (await addAccount(database))
    const place = { name: 'p', icon: 'location', createdAt: 1, updatedAt: null }
    await insertPrivateLocation(database.kysely, {
      ...place,
      id: newId(),
      accountId,
      slugName,
      proxyUrl: proxy,
    })
  }

  test('has its proxies sealed by the first start, and no trace of them is left in its files', async () => {
    const dir = await makeDataDir()
    await withPlainProxy(dir)
    const isInFiles = () =>
      readdirSync(dir).some((name) => readFileSync(join(dir, name)).includes('hunter2-taint'))
    expect(isInFiles()).toBe(true)
    const server = await start(dir)
    expect(isInFiles()).toBe(false)
    expect(server.lines).toContainEqual(
      expect.objectContaining({ rows: 1, msg: 'secrets that were stored in clear are encrypted' }),
    )
    const shown = (await server.api('GET', '/v1/private-locations')) as { proxyUrl: string | null }[]
    expect(new Set(shown.map((place) => place.proxyUrl))).toEqual(
      new Set(['http://ada:***@proxy.example:3128', null, '']),
    )
    await server.close()
    const again = await start(dir)
    expect(again.lines.filter(({ msg }) => msg.includes('in clear'))).toEqual([])
  })

  test('is brought from its first schema to the last with what is in it', async () => {
    const dir = await makeDataDir()
    await withPlainProxy(dir, firstSchema)
    const { api } = await start(dir)
    expect(await api('GET', '/v1/private-locations')).toHaveLength(3)
    expect(await api('POST', '/v1/variables', { key: 'A', value: 'a', secret: true })).toMatchObject({
      key: 'A',
    })
  })
})
