import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Run } from '../../src/contract/run.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { dueRun } from '../support/due-run.ts'
import { type HttpTarget, startHttpTarget } from '../support/http-target.ts'
import { type PicketProcess, startPicket } from '../support/picket-process.ts'
import { agentKey, startFakeService } from '../support/test-agent.ts'

const deadline = 20_000

async function target(answer: (end: () => void) => void = (end) => end()): Promise<HttpTarget> {
  const started = await startHttpTarget({ '/': (response) => answer(() => response.end('ok')) })
  onTestFinished(() => started[Symbol.asyncDispose]())
  return started
}

/** Starts real agent processes on one data folder, before a service whose one check asks `origin`. */
async function setUp(origin: string, env: Readonly<Record<string, string>> = {}) {
  const service = await startFakeService()
  service.define(apiDefinition(origin))
  const dataDir = await makeDataDir()
  const start = (): PicketProcess => {
    const settings = {
      API_URL: service.url,
      API_KEY: agentKey,
      AGENT_HEALTH_PORT: '0',
      PICKET_DATA_DIR: dataDir,
    }
    const started = startPicket(['agent'], { ...settings, ...env })
    onTestFinished(async () => {
      started.signal('SIGKILL')
      await started.exit()
    })
    return started
  }
  return { service, start }
}

async function healthOf(agent: PicketProcess, path: string): Promise<string> {
  const { healthPort } = await agent.logged('the agent is ready')
  return (await fetch(`http://127.0.0.1:${healthPort}${path}`)).text()
}

/** How many results its outbox holds. */
async function outboxDepth(agent: PicketProcess): Promise<number> {
  const [, depth = ''] = /"depth":(\d+)/.exec(await healthOf(agent, '/health')) ?? []
  return Number(depth)
}

/** Also where its output is not read to its end. */
function exitCodeOf({ child }: PicketProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode)
    else child.once('exit', resolve)
  })
}

const runs = (count: number): Run[] => Array.from({ length: count }, () => dueRun())

describe('an agent process', () => {
  test(
    'loses no finished result when it is killed in the middle',
    async () => {
      let answered = 0
      // Every third request is never answered, so that runs are under way when the process is killed.
      const site = await target((end) => {
        answered += 1
        if (answered % 3 !== 0) end()
      })
      const { service, start } = await setUp(site.origin)
      service.faults.set('results', 503)
      const first = start()
      service.enqueue(...runs(90))
      await vi.waitFor(async () => expect(await outboxDepth(first)).toBe(60), deadline)
      first.signal('SIGKILL')
      await first.exit()
      service.faults.delete('results')
      start()
      await vi.waitFor(() => expect(service.results.length).toBeGreaterThanOrEqual(60), deadline)
      expect(new Set(service.results.map(({ runId }) => runId)).size).toBe(60)
      expect(service.results.every(({ conclusion }) => conclusion.kind === 'judged')).toBe(true)
    },
    2 * deadline,
  )

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 when it is told to by %s, after its checks have finished: not ready, but alive',
    async (signal) => {
      const gate = Promise.withResolvers<void>()
      const site = await target((end) => void gate.promise.then(end))
      const { service, start } = await setUp(site.origin)
      const agent = start()
      service.enqueue(...runs(3))
      await vi.waitFor(() => expect(site.requests).toHaveLength(3), deadline)
      const notDue = dueRun({ dueAt: Date.now() + 60_000 })
      service.enqueue(notDue)
      await vi.waitFor(async () => expect(await healthOf(agent, '/health')).toContain('"held":4'), deadline)
      agent.signal(signal)
      await agent.logged('running checks may finish')
      const claims = service.claims.length
      service.enqueue(...runs(1))
      expect(await healthOf(agent, '/-/readiness')).toBe('not ready\n')
      expect(await healthOf(agent, '/-/liveness')).toBe('alive\n')
      await vi.waitFor(() => expect(service.released).toEqual([notDue.id]), deadline)
      gate.resolve()
      expect(await agent.exit()).toBe(0)
      expect(service.results).toHaveLength(3)
      expect(service.claims).toHaveLength(claims)
    },
    2 * deadline,
  )

  test.each(['closed', 'never read'] as const)(
    'goes on when its log is %s, and stops in good order when it is told to',
    async (how) => {
      const site = await target()
      const { service, start } = await setUp(site.origin, { LOG_LEVEL: 'DEBUG' })
      const agent = start()
      await agent.logged('the agent is ready')
      if (how === 'closed') {
        agent.child.stdout?.destroy()
        agent.child.stderr?.destroy()
      } else agent.child.stdout?.pause()
      service.enqueue(...runs(400))
      await vi.waitFor(() => expect(service.results).toHaveLength(400), deadline)
      agent.signal('SIGTERM')
      expect(await exitCodeOf(agent)).toBe(0)
    },
    2 * deadline,
  )

  test(
    'does not wait for its checks when it is told twice',
    async () => {
      const site = await target(() => {})
      const { service, start } = await setUp(site.origin)
      const agent = start()
      const due = runs(2)
      service.enqueue(...due)
      await vi.waitFor(() => expect(site.requests).toHaveLength(2), deadline)
      agent.signal('SIGINT')
      await agent.logged('running checks may finish')
      agent.signal('SIGTERM')
      expect(await agent.exit()).toBe(0)
      expect(service.results).toEqual([])
      expect(new Set(service.released)).toEqual(new Set(due.map(({ id }) => id)))
    },
    2 * deadline,
  )

  test(
    'ends with 2 and names every fault of its settings',
    async () => {
      const { start } = await setUp('http://127.0.0.1:1', { API_KEY: 'secret-key', JOB_CONCURRENCY: 'many' })
      const agent = start()
      expect(await agent.exit()).toBe(2)
      expect(agent.stderr()).toContain('API_KEY must be a key that begins with pl_')
      expect(agent.stderr()).toContain('JOB_CONCURRENCY must be a whole number from 1 to 10000, was "many"')
      expect(agent.stderr()).not.toContain('secret-key')
    },
    deadline,
  )

  test(
    'ends with 1 and says so when its health port is in use',
    async () => {
      const site = await target()
      const { start } = await setUp(site.origin, {
        AGENT_HEALTH_HOST: '127.0.0.1',
        AGENT_HEALTH_PORT: String(site.port),
      })
      const agent = start()
      expect(await agent.exit()).toBe(1)
      expect(agent.stderr()).toBe(
        `Port ${site.port} of the health endpoints is in use: set AGENT_HEALTH_PORT to a free one\n`,
      )
    },
    deadline,
  )
})
