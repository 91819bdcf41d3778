import { rm } from 'node:fs/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { CheckResultResource } from '../../src/contract/resources/check-result.ts'
import type { HealthReport } from '../../src/health/health-server.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { startCountingTarget } from '../support/counting-target.ts'
import { freePort } from '../support/free-port.ts'
import { type PicketProcess, startPicket } from '../support/picket-process.ts'
import { temporaryDataDir } from '../support/up.ts'

const apiKey = 'pk_a-key-that-the-tests-know'
const intervalMs = 10_000
const patience = { timeout: 60_000, interval: 500 }

function ended(process: PicketProcess): PicketProcess {
  onTestFinished(async () => {
    process.signal('SIGKILL')
    await process.exit()
  })
  return process
}

async function setUp() {
  const { dir, remove } = await temporaryDataDir()
  onTestFinished(remove)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = { PICKET_DATA_DIR: `${dir}/service`, PICKET_PORT: String(port), PICKET_API_KEY: apiKey }
  const startServer = async () => {
    const server = ended(startPicket(['server'], env))
    await server.logged('the service is ready')
    return server
  }
  const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}${path}`, { ...init, headers })
    expect(answer.ok, path).toBe(true)
    return (await answer.json()) as T
  }
  const post = <T>(path: string, body: object) =>
    call<T>(path, { method: 'POST', body: JSON.stringify(body) })
  const startAgent = async (key: string) => {
    const settings = { AGENT_HEALTH_PORT: '0', AGENT_HEALTH_HOST: '127.0.0.1' }
    const agent = startPicket(['agent'], {
      ...settings,
      API_URL: url,
      API_KEY: key,
      PICKET_DATA_DIR: `${dir}/agent`,
    })
    const { healthPort } = await ended(agent).logged('the agent is ready')
    return async () =>
      (await (await fetch(`http://127.0.0.1:${String(healthPort)}/health`)).json()) as HealthReport
  }
  return { startServer, startAgent, call, post, agentDir: `${dir}/agent` }
}

test('a service that was killed and comes back has one result of each slot, as if it had been there', async () => {
  const { startServer, startAgent, call, post, agentDir } = await setUp()
  onTestFinished(() => rm(agentDir, { recursive: true, force: true }))
  const target = await startCountingTarget()
  onTestFinished(target.stop)
  const first = await startServer()
  const { id } = await post<{ id: string }>('/v1/private-locations', { name: 'office', slugName: 'office' })
  const { rawKey } = await post<{ rawKey: string }>(`/v1/private-locations/${id}/keys`, {})
  const health = await startAgent(rawKey)
  const check = await post<{ id: string }>(
    '/v1/checks/api',
    apiCheckBody({
      locations: [],
      privateLocations: ['office'],
      request: { method: 'GET', url: `${target.url}/a` },
    }),
  )
  const results = () => call<CheckResultResource[]>(`/v1/check-results/${check.id}?limit=100`)
  await vi.waitFor(async () => expect((await results()).length).toBeGreaterThanOrEqual(1), patience)
  await vi.waitFor(() => expect(target.visits.length).toBeGreaterThanOrEqual(2), patience)
  first.signal('SIGKILL')
  await first.exit()
  const killedAt = Date.now()
  await vi.waitFor(async () => expect((await health()).away.ownRuns).toBeGreaterThanOrEqual(3), patience)
  await startServer()
  const backAt = Date.now()
  await vi.waitFor(async () => {
    const [newest] = await results()
    expect(Date.parse(String(newest?.startedAt))).toBeGreaterThan(backAt + intervalMs)
  }, patience)

  const startedAt = (await results()).map((result) => Date.parse(String(result.startedAt))).toSorted()
  const gaps = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0))
  for (const gap of gaps) expect(Math.abs(gap - intervalMs)).toBeLessThan(3000)
  expect(startedAt.filter((at) => at > killedAt && at < backAt).length).toBeGreaterThanOrEqual(3)
  expect(startedAt).toHaveLength(target.visits.length)
}, 240_000)
