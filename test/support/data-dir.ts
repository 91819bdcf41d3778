import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that is removed when the test is over. */
export async function makeDataDir(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'picket-test-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}
