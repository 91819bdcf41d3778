import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { isSealed } from '../../src/lib/sealing.ts'
import { openProxyUrl } from '../../src/server/secrets/proxy-url.ts'
import { sealStored } from '../../src/server/secrets/seal-stored.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import type { Engine } from '../../src/storage/engine.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { insertPrivateLocation, listPrivateLocations } from '../../src/storage/private-locations.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { wipeReplacedRows } from '../../src/storage/wipe-replaced-rows.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { emptyDatabaseUrl, forEachEngine, lonelyDatabaseUrl } from '../support/databases.ts'
import { clientCertificateBody, encryptedKey, keyPair, passphrase } from '../support/key-pairs.ts'
import { logLines } from '../support/log-lines.ts'
import { addAccount } from '../support/storage-rows.ts'
import { startTestService, type TestService, testSealer } from '../support/test-service.ts'

async function tablesOf(db: Kysely<Schema>, engine: Engine): Promise<string[]> {
  const { rows } = await (engine === 'sqlite'
    ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
    : sql<{
        name: string
      }>`select table_name as name from information_schema.tables where table_schema = current_schema()`
  ).execute(db)
  return rows.map(({ name }) => name)
}

/** Everything that a query can read. */
async function contentOf({ kysely, engine }: Database): Promise<string> {
  const tables = await tablesOf(kysely, engine)
  const contents = await Promise.all(
    tables.map(async (name) => (await sql`select * from ${sql.ref(name)}`.execute(kysely)).rows),
  )
  return JSON.stringify(contents)
}

/** Everything on the disk; what PostgreSQL has there is not one database's alone. */
function bytesOf(engine: Engine, url: string): string {
  if (engine === 'postgres') return ''
  const folder = dirname(url.slice('sqlite:'.length))
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name)).toString('latin1'))
    .join('')
}

/** Whether the table of private locations has a text in the files of the database, in a row or beside one. */
async function isInFiles({ engine, kysely }: Database, url: string, text: string): Promise<boolean> {
  if (engine === 'sqlite') return bytesOf(engine, url).includes(text)
  await sql`checkpoint`.execute(kysely)
  const { rows } = await sql<{ bytes: Buffer }>`
    select pg_read_binary_file(pg_relation_filepath('private_locations')) as bytes`.execute(kysely)
  return rows.some(({ bytes }) => bytes.includes(text))
}

/** The forms in which a text would still be read by whoever looks for it. */
function formsOf(secret: string): string[] {
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.from(' '.repeat(shift) + secret)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  )
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...shifted]
}

/** The inner lines of a PEM text, each a form of the key by itself. */
const linesOf = (pem: string) => pem.split('\n').filter((line) => line.length > 30 && !line.startsWith('-'))

/** Every operation that takes a secret, each with one of its own. */
async function writeSecrets({ api }: TestService): Promise<string[]> {
  const secrets = ['made', 'kept', 'changed', 'of-check', 'of-check-changed', 'proxy', 'proxy-changed'].map(
    (name) => `taint "${name}" & 7f3a`,
  )
  const [made, kept, changed, ofCheck, ofCheckChanged] = secrets
  const [proxy, proxyChanged] = secrets.slice(5).map((secret) => encodeURIComponent(secret))
  await api('POST', '/v1/variables', { key: 'A', value: made, secret: true })
  await api('POST', '/v1/variables', { key: 'B', value: kept, secret: true })
  await api('PUT', '/v1/variables/A', { value: changed })
  await api('PUT', '/v1/variables/B', { value: '' })
  const variables = (value: string | undefined) =>
    apiCheckBody({ environmentVariables: [{ key: 'C', value, secret: true }] })
  const check = (await api('POST', '/v1/checks/api', variables(ofCheck))).json()
  await api('PUT', `/v1/checks/api/${check.id}`, variables(ofCheckChanged))
  await api('PUT', `/v1/checks/api/${check.id}`, variables(''))
  const place = { name: 'p', slugName: 'office' }
  const { id } = (
    await api('POST', '/v1/private-locations', { ...place, proxyUrl: `http://u:${proxy}@a` })
  ).json()
  await api('PUT', `/v1/private-locations/${id}`, { ...place, proxyUrl: `http://u:${proxyChanged}@a` })
  const encrypted = encryptedKey('pkcs8')
  await api('POST', '/v1/client-certificates', clientCertificateBody())
  await api('POST', '/v1/client-certificates', clientCertificateBody({ key: encrypted, passphrase }))
  return [...secrets, passphrase, ...linesOf(keyPair.key), ...linesOf(encrypted)]
}

forEachEngine((engine) => {
  test('no secret is in the database in clear, in any form', async () => {
    const url = await emptyDatabaseUrl(engine)
    const database = await openDatabase(url)
    onTestFinished(() => database.close())
    await migrate(database)
    const service = await startTestService({ database })
    const secrets = await writeSecrets(service)
    const stored = (await contentOf(database)) + bytesOf(engine, url)
    expect(stored.includes(keyPair.cert.split('\n')[1] ?? 'no line')).toBe(true)
    expect(secrets.flatMap(formsOf).filter((form) => stored.includes(form))).toEqual([])
    await service.app.close()
  })

  test('a sealed value in the row of another is given to no agent', async () => {
    const database = await openDatabase(await emptyDatabaseUrl(engine))
    onTestFinished(() => database.close())
    await migrate(database)
    const { logger, lines } = logLines()
    const service = await startTestService({ database, logger })
    await service.api('POST', '/v1/variables', { key: 'A', value: 'for A alone', secret: true })
    await service.api('POST', '/v1/variables', { key: 'B', value: 'for B', secret: true })
    const { id } = (await service.api('POST', '/v1/checks/api', apiCheckBody())).json()
    const given = async () => (await service.agent('definitions', { checkIds: [id] })).json().definitions
    expect(await given()).toHaveLength(1)
    const { kysely } = database
    const { value } = await kysely
      .selectFrom('variables')
      .select('value')
      .where('key', '=', 'A')
      .executeTakeFirstOrThrow()
    await kysely.updateTable('variables').set({ value }).where('key', '=', 'B').execute()
    expect(await given()).toEqual([])
    expect(lines).toMatchObject([{ err: { code: 'SECRET_UNREADABLE' } }])
    await service.app.close()
  })

  test('what was stored in clear is sealed by servers that start at once, each row once, and nothing of it stays once nobody reads what was there', async () => {
    const url = await lonelyDatabaseUrl(engine)
    const database = await openDatabase(url)
    onTestFinished(() => database.close())
    await migrate(database)
    const accountId = await addAccount(database)
    // More than a page of the database holds.
    const secrets = Array.from({ length: 60 }, (_, n) => `http://u:taint-7f3a@a${n}`)
    const proxies = [...secrets, 'http://b', '', null]
    const rows = proxies.map((proxyUrl, n) => ({
      id: newId(),
      accountId,
      name: 'p',
      slugName: `place-${n}`,
      icon: 'i',
      proxyUrl,
      createdAt: n,
      updatedAt: null,
    }))
    for (const row of rows) await insertPrivateLocation(database.kysely, row)
    expect(await isInFiles(database, url, 'taint-7f3a')).toBe(true)
    await Promise.all([sealStored(database, testSealer), sealStored(database, testSealer)])
    expect(await sealStored(database, testSealer)).toBe(0)
    const stored = await listPrivateLocations(database.kysely, accountId)
    expect(stored.map(({ proxyUrl }) => proxyUrl && isSealed(proxyUrl))).toEqual([
      ...secrets.map(() => true),
      true,
      '',
      null,
    ])
    expect(stored.map((row) => openProxyUrl(testSealer, row))).toEqual(proxies)
    // Either server may still have been reading when the other wiped.
    await vi.waitFor(
      async () => {
        await wipeReplacedRows(database)
        expect(await isInFiles(database, url, 'taint-7f3a')).toBe(false)
      },
      { timeout: 10_000, interval: 100 },
    )
  })
})
