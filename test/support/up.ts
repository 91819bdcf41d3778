import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { CheckResultResource } from '../../src/contract/resources/check-result.ts'
import type { CheckStatusResource } from '../../src/contract/resources/check-status.ts'
import { type PicketProcess, startPicket } from './picket-process.ts'

export interface RunningUp {
  readonly process: PicketProcess
  readonly url: string
  readonly healthUrl: string
  readonly dataDir: string
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
  /** The newest results of a check, newest first. */
  results(checkId: string): Promise<CheckResultResource[]>
  status(checkId: string): Promise<CheckStatusResource | null>
  /** Waits until the status of a check is as asked. */
  untilStatus(checkId: string, holds: (status: CheckStatusResource) => boolean): Promise<CheckStatusResource>
  stop(): Promise<number | null>
}

const apiKey = 'pk_a-key-that-the-tests-know'

export async function temporaryDataDir(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'picket-up-'))
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) }
}

/** `picket up` as a real process on free ports, over a data folder of the test's. */
export async function startUp(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningUp> {
  const up = startPicket(['up'], {
    PICKET_PORT: '0',
    AGENT_HEALTH_PORT: '0',
    AGENT_HEALTH_HOST: '127.0.0.1',
    PICKET_DATA_DIR: dataDir,
    PICKET_API_KEY: apiKey,
    ...env,
  })
  const url = String((await up.logged('the service is ready'))['url'])
  const healthUrl = `http://127.0.0.1:${(await up.logged('the agent is ready'))['healthPort']}`
  const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, { ...init, headers })
    if (!response.ok)
      throw new Error(`${init.method ?? 'GET'} ${path}: ${response.status} ${await response.text()}`)
    // What the service sends is what its own schemas let through.
    return (await response.json()) as T
  }
  const status = (checkId: string) => call<CheckStatusResource | null>(`/v1/check-statuses/${checkId}`)
  return {
    process: up,
    url,
    healthUrl,
    dataDir,
    get: (path) => call(path),
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
    results: (checkId) => call(`/v1/check-results/${checkId}?limit=100`),
    status,
    untilStatus: (checkId, holds) =>
      vi.waitFor(
        async () => {
          const now = await status(checkId)
          expect(now).not.toBeNull()
          if (now === null || !holds(now)) throw new Error(`the status is ${JSON.stringify(now)}`)
          return now
        },
        { timeout: 45_000, interval: 200 },
      ),
    stop: () => {
      up.signal('SIGTERM')
      return up.exit()
    },
  }
}
