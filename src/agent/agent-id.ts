import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../lib/app-error.ts'
import { newId } from '../lib/ids.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The agent's id, a UUID that stays the same over restarts. @throws AppError DATA_DIR_UNUSABLE */
export async function readAgentId(dataDir: string): Promise<string> {
  const path = join(dataDir, 'agent-id')
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    const known = await readFile(path, 'utf8').catch(() => '')
    if (uuid.test(known.trim())) return known.trim()
    const id = newId()
    await writeFile(path, `${id}\n`, { mode: 0o600 })
    return id
  } catch (cause) {
    throw new AppError('DATA_DIR_UNUSABLE', 'The folder PICKET_DATA_DIR cannot be written to', {
      fatal: true,
      cause,
    })
  }
}
