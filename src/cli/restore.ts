import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import { AppError } from '../lib/app-error.ts'
import { systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Secret } from '../lib/secret.ts'
import { readServerConfig, type SecretKeySource } from '../server/config.ts'
import { assertKeyOpens } from '../server/secrets/open-sealer.ts'
import { readSecretKey } from '../server/secrets/secret-key-file.ts'
import { type Database, openDatabase } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import { putInPlace } from '../storage/put-in-place.ts'
import { keyOf } from './backup.ts'
import { sqlitePath } from './sqlite-path.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface RestoreOptions {
  readonly replace?: boolean
}

const pgRestore = 'pg_restore --clean --if-exists --no-owner --dbname="$PICKET_DATABASE_URL" <file>'

/**
 * Makes a backup the service's database, once it is known to be whole, of a schema that is known here, and to open with
 * the key that it will have.
 * @throws AppError BACKUP_BY_POSTGRES, BACKUP_UNUSABLE, DATABASE_EXISTS, DATABASE_IN_USE, SCHEMA_TOO_NEW, SECRET_KEY_WRONG; nothing was changed then
 */
export async function runRestore(env: Env, file: string, { replace }: RestoreOptions): Promise<void> {
  const config = readServerConfig(env)
  const path = sqlitePath(config, pgRestore)
  if (!existsSync(file)) throw new AppError('BACKUP_UNUSABLE', 'There is no such backup file')
  if (existsSync(path) && !replace) throw databaseExists()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${newId()}.part`
  try {
    copyBackup(file, draft)
    const restored = keyFor(config.secretKey, file)
    await bringUpToDate(draft, restored.key)
    const kept = putInPlace(draft, path, systemClock.now())
    const keptKey = restored.from === null ? null : putKey(restored.from, restored.to)
    for (const name of [kept, keptKey]) {
      if (name !== null) process.stdout.write(`${name}: what was there before\n`)
    }
    process.stdout.write(`${path}: restored, checked and brought up to date\n`)
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(draft + end, { force: true })
  }
}

const databaseExists = () =>
  new AppError(
    'DATABASE_EXISTS',
    'There is a database already: stop its service and say --replace to put the backup in its place; what is there is kept under another name',
  )

const unusable = (cause: unknown) =>
  new AppError(
    'BACKUP_UNUSABLE',
    'The file is no whole backup of Picket: "picket backup" makes one; the file of a running service alone is none',
    { cause },
  )

function copyBackup(file: string, draft: string): void {
  try {
    if (existsSync(`${file}-wal`)) throw new Error('it has a log beside it')
    copyFileSync(file, draft)
    chmodSync(draft, 0o600)
  } catch (cause) {
    throw unusable(cause)
  }
}

interface KeyFound {
  readonly key: Secret | null
  /** The file that is to be copied `to` its place beside the database; null where the key is in its place. */
  readonly from: string | null
  readonly to: string
}

/** A given one goes first; then the one beside the backup, then the one that is there. */
function keyFor(source: SecretKeySource, file: string): KeyFound {
  if (source.kind !== 'file') return { key: source.kind === 'given' ? source.key : null, from: null, to: '' }
  const beside = readSecretKey(keyOf(file))
  if (beside) return { key: beside, from: keyOf(file), to: source.path }
  return { key: readSecretKey(source.path), from: null, to: source.path }
}

async function bringUpToDate(draft: string, key: Secret | null): Promise<void> {
  const database = await openDatabase(`sqlite:${draft}`).catch((cause: unknown) => {
    throw unusable(cause)
  })
  try {
    await assertWhole(database)
    await migrate(database)
    await assertKeyOpens(database, key)
  } finally {
    await database.close()
  }
}

async function assertWhole({ kysely }: Database): Promise<void> {
  try {
    const check = await sql<{ integrityCheck: string }>`pragma integrity_check(1)`.execute(kysely)
    if (check.rows[0]?.integrityCheck !== 'ok') throw new Error('it is damaged')
    await kysely.selectFrom('migrations').select('name').limit(1).executeTakeFirstOrThrow()
  } catch (cause) {
    throw unusable(cause)
  }
}

/** Returns the name under which the key that was there is kept; null where none was, or the same. */
function putKey(from: string, to: string): string | null {
  const before = readSecretKey(to)
  const same = before !== null && before.reveal() === readSecretKey(from)?.reveal()
  if (same) return null
  const kept = before === null ? null : `${to}.replaced-${newId()}`
  if (kept !== null) renameSync(to, kept)
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  return kept
}
