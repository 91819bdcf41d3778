import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { AppError } from '../../lib/app-error.ts'
import { newId } from '../../lib/ids.ts'
import { newSealingSecret, shortestSecret } from '../../lib/sealing.ts'
import { Secret } from '../../lib/secret.ts'

const ownerOnly = 0o600

const unusable = (cause: unknown) =>
  new AppError(
    'SECRET_KEY_UNUSABLE',
    'The file secret.key beside the SQLite file cannot be used: this process must be able to read it, and to write it at the first start; what was written to it then must not be changed',
    { fatal: true, cause },
  )

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** Null when there is no file. @throws AppError SECRET_KEY_UNUSABLE */
export function readSecretKey(path: string): Secret | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return null
    throw unusable(cause)
  }
  if (text.length >= shortestSecret) return new Secret(text)
  throw unusable(new Error(`the key in it has ${text.length} characters`))
}

/**
 * Makes the file with a new key, unless another process does so first: then that one's key is the key. Nobody sees the
 * file before it is whole and on the disk. @throws AppError SECRET_KEY_UNUSABLE
 */
export function makeSecretKey(path: string): Secret {
  const draft = `${path}.${newId()}`
  try {
    writeFileSync(draft, `${newSealingSecret()}\n`, { mode: ownerOnly, flag: 'wx', flush: true })
    linkSync(draft, path)
  } catch (cause) {
    if (!hasCode(cause, 'EEXIST')) throw unusable(cause)
  } finally {
    rmSync(draft, { force: true })
  }
  const key = readSecretKey(path)
  if (!key) throw unusable(new Error('it was removed while it was made'))
  return key
}
