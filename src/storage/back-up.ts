import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/ids.ts'

/** Between 0 and 1. */
export type OnProgress = (share: number) => void

const pagesAStep = 2000
const ownerOnly = 0o600

/**
 * Copies the SQLite file `source`, as it is at this moment, to the file `target`, which must not exist: it appears
 * whole or not at all. Whoever uses the source goes on meanwhile, and is not waited for.
 * @throws AppError BACKUP_EXISTS, BACKUP_FAILED
 */
export async function backUp(source: string, target: string, onProgress: OnProgress): Promise<void> {
  if (existsSync(target)) {
    throw new AppError(
      'BACKUP_EXISTS',
      'There is a file of this name: a backup is never written over another',
    )
  }
  const draft = `${target}.${newId()}.part`
  try {
    closeSync(openSync(draft, 'wx', ownerOnly))
    await copySnapshot(source, draft, onProgress)
    finish(draft)
    renameSync(draft, target)
    sync(dirname(resolve(target)))
    onProgress(1)
  } catch (cause) {
    throw new AppError(
      'BACKUP_FAILED',
      'The backup could not be made: look at the room and the rights of its folder, and whether there is a database',
      { cause },
    )
  } finally {
    rmSync(draft, { force: true })
  }
}

async function copySnapshot(source: string, draft: string, onProgress: OnProgress): Promise<void> {
  const database = new DatabaseSync(source, { readOnly: true, timeout: 5000 })
  try {
    // Of a snapshot: without one the copy would begin anew at each write of the service, and never end.
    database.exec('begin')
    database.prepare('select count(*) from migrations').get()
    const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) =>
      onProgress(totalPages === 0 ? 1 : (totalPages - remainingPages) / totalPages)
    await backup(database, draft, { rate: pagesAStep, progress })
  } finally {
    database.close()
  }
}

/** One file that needs no other beside it, checked, and on the disk. */
function finish(draft: string): void {
  const database = new DatabaseSync(draft)
  try {
    database.exec('pragma journal_mode = delete')
    const [row] = database.prepare('pragma quick_check(1)').all()
    if (row?.['quick_check'] !== 'ok') throw new Error('the copy is not whole')
  } finally {
    database.close()
  }
  sync(draft)
}

/** A name in a folder is on the disk when the folder is. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
