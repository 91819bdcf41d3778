import { scrypt } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '../../lib/app-error.ts'
import { newId } from '../../lib/ids.ts'
import { newSealingSecret, shortestSecret } from '../../lib/sealing.ts'
import { Secret } from '../../lib/secret.ts'

const derive = promisify<string, string, number, Buffer>(scrypt)
const keyLength = 32
const salt = 'picket: the outbox, v1'

const unusable = (cause: unknown) =>
  new AppError(
    'OUTBOX_KEY_UNUSABLE',
    'The file outbox.key in PICKET_DATA_DIR cannot be used: the agent must be able to read it, and to write it at its first start',
    { fatal: true, cause },
  )

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/**
 * The 32 bytes that the outbox's records are sealed with: of the given secret, or of one in the file outbox.key of the
 * data folder, which is made at the first start. @throws AppError OUTBOX_KEY_UNUSABLE
 */
export async function readOutboxKey(dataDir: string, given: Secret | undefined): Promise<Uint8Array> {
  const path = join(dataDir, 'outbox.key')
  const secret = given ?? (await read(path)) ?? (await make(path))
  return derive(secret.reveal(), salt, keyLength)
}

async function read(path: string): Promise<Secret | null> {
  try {
    const text = (await readFile(path, 'utf8')).trim()
    if (text.length >= shortestSecret) return new Secret(text)
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return null
    throw unusable(cause)
  }
  throw unusable(new Error('it is not whole'))
}

/** Nobody sees the file before it is whole and on the disk; of two that make it at once the first wins. */
async function make(path: string): Promise<Secret> {
  const draft = `${path}.${newId()}`
  try {
    await writeFile(draft, `${newSealingSecret()}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await link(draft, path)
  } catch (cause) {
    if (!hasCode(cause, 'EEXIST')) throw unusable(cause)
  } finally {
    await rm(draft, { force: true })
  }
  const made = await read(path)
  if (!made) throw unusable(new Error('it was removed while it was made'))
  return made
}
