import { chmodSync, constants, copyFileSync, existsSync, statSync } from 'node:fs'
import { AppError } from '../lib/app-error.ts'
import { readServerConfig, type SecretKeySource } from '../server/config.ts'
import { backUp } from '../storage/back-up.ts'
import { sqlitePath } from './sqlite-path.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface BackupOptions {
  readonly withKey?: boolean
}

const pgDump = 'pg_dump --format=custom --no-owner --file=<file> "$PICKET_DATABASE_URL"'

/** Where the key goes that belongs to a backup. */
export const keyOf = (file: string) => `${file}.key`

/** @throws AppError BACKUP_BY_POSTGRES, BACKUP_EXISTS, BACKUP_FAILED */
export async function runBackup(env: Env, file: string, options: BackupOptions): Promise<void> {
  const config = readServerConfig(env)
  const source = sqlitePath(config, pgDump)
  if (options.withKey && existsSync(keyOf(file))) throw keyExists()
  await backUp(source, file, progress())
  const megabytes = (statSync(file).size / 1024 / 1024).toFixed(1)
  process.stdout.write(`${file}: ${megabytes} MB, checked\n${tellOfKey(config.secretKey, file, options)}\n`)
}

const keyExists = () =>
  new AppError(
    'BACKUP_EXISTS',
    'There is a file of this name with .key behind it: keys are never written over',
  )

function tellOfKey(key: SecretKeySource, file: string, { withKey }: BackupOptions): string {
  if (key.kind !== 'file') {
    return 'The secrets in it are sealed with PICKET_SECRET_KEY, which is not in it: without that key they are lost.'
  }
  if (!existsSync(key.path)) return 'There is no secret.key beside the database: it holds no secrets yet.'
  if (!withKey) {
    return `The secrets in it are sealed with ${key.path}, which is not in it: keep a copy of that file apart, without it they are lost. --with-key puts one beside the backup.`
  }
  copyFileSync(key.path, keyOf(file), constants.COPYFILE_EXCL)
  chmodSync(keyOf(file), 0o600)
  return `${keyOf(file)}: the key of the secrets in it. Whoever has both can read them.`
}

/** A line for each tenth that is done. */
function progress(): (share: number) => void {
  let told = 0
  return (share) => {
    const tenths = Math.floor(share * 10)
    if (tenths <= told) return
    told = tenths
    process.stderr.write(`${tenths * 10} %\n`)
  }
}
