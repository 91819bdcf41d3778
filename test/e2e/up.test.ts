import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { type CountingTarget, startCountingTarget } from '../support/counting-target.ts'
import { startPicket } from '../support/picket-process.ts'
import { type RunningUp, startUp, temporaryDataDir } from '../support/up.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (let step = undo.pop(); step; step = undo.pop()) await step()
})

async function dataDir(): Promise<string> {
  const { dir, remove } = await temporaryDataDir()
  undo.push(remove)
  return dir
}

async function countedTarget(): Promise<CountingTarget> {
  const target = await startCountingTarget()
  undo.push(target.stop)
  return target
}

async function startStoppedAtEnd(dir: string, env: Record<string, string> = {}): Promise<RunningUp> {
  const up = await startUp(dir, env)
  undo.push(() => up.stop())
  return up
}

describe('the first start', () => {
  test('prints account, key and what to do next, and has a first result within 15 seconds', async () => {
    const startedAt = Date.now()
    const up = startPicket(['up'], {
      PICKET_PORT: '0',
      AGENT_HEALTH_PORT: '0',
      PICKET_DATA_DIR: await dataDir(),
    })
    undo.push(() => {
      up.signal('SIGTERM')
      return up.exit()
    })
    const { url } = await up.logged('the service is ready')
    await vi.waitFor(() => expect(up.stderr()).toContain('/documentation'))
    const [, key] = /API key +(pk_\S+)/.exec(up.stderr()) ?? []
    expect(up.stderr()).toMatch(/Account +[0-9a-f-]{36}/)
    const statuses = await vi.waitFor(
      async () => {
        const response = await fetch(`${url}/v1/check-statuses`, {
          headers: { authorization: `Bearer ${key}` },
        })
        const list: unknown = await response.json()
        expect(list).toHaveLength(1)
        return list
      },
      { timeout: 20_000, interval: 200 },
    )
    expect(Date.now() - startedAt).toBeLessThan(15_000)
    expect(statuses).toMatchObject([{ name: 'Picket itself', hasFailures: false, hasErrors: false }])
  })

  test('is the only one that makes an account and prints a key', async () => {
    const dir = await dataDir()
    const env = { PICKET_PORT: '0', AGENT_HEALTH_PORT: '0', PICKET_DATA_DIR: dir }
    for (const prints of [true, false]) {
      const up = startPicket(['up'], env)
      await up.logged('the agent is ready')
      expect(up.stderr().includes('API key')).toBe(prints)
      up.signal('SIGTERM')
      expect(await up.exit()).toBe(0)
    }
  })
})

describe('stopping', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends all three processes cleanly', async (signal) => {
    const up = await startUp(await dataDir())
    up.process.signal(signal)
    expect(await up.process.exit()).toBe(0)
    await expect(fetch(`${up.url}/v1/runtimes`)).rejects.toThrow()
    await expect(fetch(`${up.healthUrl}/health`)).rejects.toThrow()
    expect(up.process.stderr()).toBe('')
  })

  test('kill -9 leaves no orphan; a new start goes on in the old phase, and no result is there twice', async () => {
    const target = await countedTarget()
    const dir = await dataDir()
    const first = await startUp(dir)
    const request = { method: 'GET', url: target.url }
    const { id } = await first.post<{ id: string }>('/v1/checks/api', apiCheckBody({ request }))
    await first.untilStatus(id, ({ hasFailures }) => !hasFailures)
    first.process.signal('SIGKILL')
    await first.process.exit()
    await vi.waitFor(() => expect(fetch(`${first.url}/v1/runtimes`)).rejects.toThrow(), { timeout: 5000 })

    const before = target.visits.length
    const second = await startStoppedAtEnd(dir)
    await vi.waitFor(() => expect(target.visits.length).toBeGreaterThanOrEqual(before + 2), {
      timeout: 45_000,
    })
    const results = await vi.waitFor(
      async () => {
        const found = await second.results(id)
        expect(found.length).toBeGreaterThanOrEqual(3)
        return found
      },
      { timeout: 20_000 },
    )
    expect(new Set(results.map(({ checkRunId }) => checkRunId)).size).toBe(results.length)
    const phases = target.visits.map(({ at }) => at % 10_000)
    const spread = phases.map((phase) => Math.abs(phase - (phases[0] ?? 0)))
    for (const away of spread) expect(Math.min(away, 10_000 - away)).toBeLessThan(1000)
  })

  test('a child that dies is started again, and runs go on', async () => {
    const target = await countedTarget()
    const up = await startStoppedAtEnd(await dataDir())
    const request = { method: 'GET', url: target.url }
    const { id } = await up.post<{ id: string }>('/v1/checks/api', apiCheckBody({ request }))
    await up.untilStatus(id, () => true)
    const ready = await up.process.logged('the agent is ready')
    process.kill(Number(ready['pid']), 'SIGKILL')
    await up.process.logged('the agent process ended by itself')
    const before = target.visits.length
    await vi.waitFor(() => expect(target.visits.length).toBeGreaterThan(before), {
      timeout: 30_000,
      interval: 200,
    })
  })
})

describe('what it cannot start with', () => {
  test('bad settings of both processes are named at once, with exit code 2', async () => {
    const up = startPicket(['up'], {
      PICKET_PORT: 'http',
      AGENT_HEALTH_PORT: '70000',
      JOB_CONCURRENCY: '0',
      LOG_LEVEL: 'INFO',
    })
    expect(await up.exit()).toBe(2)
    for (const name of ['PICKET_PORT', 'AGENT_HEALTH_PORT', 'JOB_CONCURRENCY'])
      expect(up.stderr()).toContain(name)
    expect(up.stderr()).not.toContain('    at ')
  })

  test.each(['PICKET_PORT', 'AGENT_HEALTH_PORT'])(
    '%s in use is said plainly, and nothing stays behind',
    async (name) => {
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      undo.push(() => taken.close())
      const port = String((taken.address() as AddressInfo).port)
      const up = startPicket(['up'], {
        PICKET_PORT: '0',
        AGENT_HEALTH_PORT: '0',
        AGENT_HEALTH_HOST: '127.0.0.1',
        PICKET_DATA_DIR: await dataDir(),
        [name]: port,
      })
      expect(await up.exit()).toBe(1)
      expect(up.stderr()).toContain(name)
      expect(up.stderr()).toContain(port)
      expect(up.stderr()).not.toContain('    at ')
    },
  )
})
