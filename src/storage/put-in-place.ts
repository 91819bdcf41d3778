import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '../lib/app-error.ts'
import { sync } from './back-up.ts'

const corruptCodes: readonly number[] = [11, 26]
const logs = ['-wal', '-shm']

/**
 * Makes `draft`, a closed SQLite file of the same folder, the database at `path`, in one step. What was there is kept
 * under the name that is returned; null where nothing was.
 * @throws AppError DATABASE_IN_USE
 */
export function putInPlace(draft: string, path: string, now: number): string | null {
  if (!existsSync(path)) {
    renameSync(draft, path)
    sync(dirname(resolve(path)))
    return null
  }
  const kept = `${path}.replaced-${new Date(now).toISOString().replaceAll(':', '')}`
  const own = takeForOurselves(path)
  try {
    linkSync(path, kept)
    // Beside another database they would ruin it. Of one that can be read, all that they held is in the file.
    for (const log of logs) {
      if (own.readable) rmSync(path + log, { force: true })
      else if (existsSync(path + log)) renameSync(path + log, kept + log)
    }
    renameSync(draft, path)
    sync(dirname(resolve(path)))
  } catch (error) {
    rmSync(kept, { force: true })
    throw error
  } finally {
    own.letGo()
  }
  return kept
}

/** Nobody else has it open until `letGo` is called. */
function takeForOurselves(path: string): { readonly readable: boolean; readonly letGo: () => void } {
  const database = new DatabaseSync(path, { timeout: 1000 })
  const letGo = () => database.close()
  try {
    database.exec('pragma locking_mode = exclusive')
    database.exec('pragma journal_mode = delete')
    database.exec('begin exclusive')
    return { readable: true, letGo }
  } catch (error) {
    if (isCorrupt(error)) return { readable: false, letGo }
    letGo()
    throw inUse(error)
  }
}

function isCorrupt(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : null
  return typeof code === 'number' && corruptCodes.includes(code & 0xff)
}

const inUse = (cause: unknown) =>
  new AppError(
    'DATABASE_IN_USE',
    'The database in this place is in use: stop the service that uses it, then restore',
    { cause },
  )
