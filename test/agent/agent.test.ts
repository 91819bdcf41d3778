import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { resultIdOf } from '../../src/contract/run-ids.ts'
import { AppError } from '../../src/lib/app-error.ts'
import type { RunCheck } from '../../src/runner/run-check.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { observed, unreachable } from '../support/api-outcomes.ts'
import { dueRun } from '../support/due-run.ts'
import { logLevel } from '../support/log-lines.ts'
import { agentKey, startFakeService, startTestAgent } from '../support/test-agent.ts'

const definition = apiDefinition('http://target.test/')
const noBackoff = {
  type: 'FIXED',
  baseBackoffSeconds: 0,
  sameRegion: true,
  maxRetries: 2,
  maxDurationSeconds: 600,
} as const

describe('an agent', () => {
  test('carries out the runs that the service gives it, and reports each once', async () => {
    const { service } = await startTestAgent()
    const runs = Array.from({ length: 300 }, () => dueRun())
    service.enqueue(...runs)
    await vi.waitFor(() => expect(service.results).toHaveLength(300))
    expect(new Set(service.results.map(({ runId }) => runId))).toEqual(new Set(runs.map(({ id }) => id)))
    expect(service.results[0]).toMatchObject({
      resultType: 'FINAL',
      location: 'eu-west-1',
      conclusion: { kind: 'judged', verdict: { state: 'passing' } },
    })
    expect(service.authorizations).toEqual(new Set([`Bearer ${agentKey}`]))
  })

  test('says who it is and what it can do', async () => {
    const { service } = await startTestAgent()
    await vi.waitFor(() => expect(service.claims).not.toHaveLength(0))
    expect(service.claims[0]).toMatchObject({
      slots: 800,
      capabilities: {
        version: '1.2.3',
        flavour: 'full',
        checkTypes: expect.arrayContaining(['API', 'DNS', 'HEARTBEAT', 'TCP', 'URL']),
        runtimeVersion: process.version,
      },
    })
  })

  test('fires a run at its dueAt by the clock of the service, not before', async () => {
    const service = await startFakeService()
    service.clockAheadMs = 3_600_000
    const startedAt: number[] = []
    await startTestAgent({
      service,
      runCheck: async () => {
        startedAt.push(service.now())
        return observed({})
      },
    })
    const dueAt = service.now() + 300
    service.enqueue(dueRun({ dueAt }))
    await vi.waitFor(() => expect(service.results).toHaveLength(1))
    expect(startedAt[0]).toBeGreaterThanOrEqual(dueAt - 2)
    expect(service.results[0]).toMatchObject({ dueAt })
    expect(service.results[0]?.startedAt).toBeGreaterThanOrEqual(dueAt)
  })

  test('does not run what comes later than its interval, but says that it was missed', async () => {
    const runCheck = vi.fn<RunCheck>(async () => observed({}))
    const { service } = await startTestAgent({ runCheck })
    service.enqueue(dueRun({ dueAt: Date.now() - 61_000 }))
    await vi.waitFor(() => expect(service.results).toHaveLength(1))
    expect(service.results[0]).toMatchObject({
      resultType: 'FINAL',
      conclusion: { kind: 'missed', reason: 'late' },
    })
    expect(runCheck).not.toHaveBeenCalled()
  })

  test('retries a failing attempt and ends in one FINAL', async () => {
    const service = await startFakeService()
    service.define({ ...definition, retryStrategy: noBackoff })
    const outcomes = [unreachable(), unreachable(), observed({})]
    await startTestAgent({ service, runCheck: async () => outcomes.shift() ?? observed({}) })
    const run = dueRun()
    service.enqueue(run)
    await vi.waitFor(() => expect(service.results).toHaveLength(3))
    expect(service.results.map(({ attempt, resultType }) => [attempt, resultType])).toEqual([
      [1, 'ATTEMPT'],
      [2, 'ATTEMPT'],
      [3, 'FINAL'],
    ])
    expect(service.results.map(({ id }) => id)).toEqual(
      [1, 2, 3].map((attempt) => resultIdOf(run.id, attempt)),
    )
    expect(service.results[0]?.retryAt).toBe(service.results[0]?.stoppedAt)
  })

  test('waits for a retry outside of its slots', async () => {
    const service = await startFakeService()
    service.define({ ...definition, retryStrategy: { ...noBackoff, baseBackoffSeconds: 60 } })
    const other = { ...definition, checkId: '22222222-2222-4222-8222-222222222222' }
    service.define(other)
    const runCheck: RunCheck = async ({ checkId }) =>
      checkId === other.checkId ? observed({}) : unreachable()
    const { health } = await startTestAgent({ service, runCheck, env: { JOB_CONCURRENCY: '1' } })
    service.enqueue(dueRun(), dueRun(), dueRun(), dueRun())
    await vi.waitFor(() => expect(service.results).toHaveLength(4))
    service.enqueue(dueRun({ checkId: other.checkId }))
    await vi.waitFor(() => expect(service.results).toHaveLength(5))
    expect(service.results[4]).toMatchObject({ checkId: other.checkId, resultType: 'FINAL' })
    const { text } = await health('/health')
    expect(JSON.parse(text).queue).toEqual({ running: 0, waiting: 0, held: 4, concurrency: 1 })
  })

  test('asks for each definition once, and again for a newer version', async () => {
    const { service } = await startTestAgent()
    service.enqueue(dueRun(), dueRun())
    await vi.waitFor(() => expect(service.results).toHaveLength(2))
    service.enqueue(dueRun())
    await vi.waitFor(() => expect(service.results).toHaveLength(3))
    expect(service.definitionRequests).toEqual([[definition.checkId]])
    service.define({ ...definition, version: 2 })
    service.enqueue(dueRun({ version: 2 }))
    await vi.waitFor(() => expect(service.results).toHaveLength(4))
    expect(service.definitionRequests).toHaveLength(2)
    expect(service.results[3]?.version).toBe(2)
  })

  test('concludes a run whose check the service does not give as its own fault', async () => {
    const { service } = await startTestAgent()
    service.enqueue(dueRun({ checkId: '33333333-3333-4333-8333-333333333333' }))
    await vi.waitFor(() => expect(service.results).toHaveLength(1))
    expect(service.results[0]?.conclusion).toMatchObject({ kind: 'errored', reason: 'definition-missing' })
  })

  test('gives runs back when it cannot get their definitions', async () => {
    const service = await startFakeService()
    service.faults.set('definitions', 503)
    await startTestAgent({ service })
    const run = dueRun()
    service.enqueue(run)
    await vi.waitFor(() => expect(service.released).toEqual([run.id]))
    expect(service.results).toEqual([])
  })

  test('calls a throw of a runner its own fault, and reports it without its message', async () => {
    const { service } = await startTestAgent({
      runCheck: async () => {
        throw new TypeError('https://user:hunter2@target.test/ broke')
      },
    })
    service.enqueue(dueRun())
    await vi.waitFor(() => expect(service.results).toHaveLength(1))
    await vi.waitFor(() => expect(service.errorReports).toHaveLength(1))
    expect(service.results[0]?.conclusion).toMatchObject({ kind: 'errored', reason: 'agent-fault' })
    expect(service.errorReports[0]).toMatchObject({ message: 'TypeError', agentVersion: '1.2.3' })
    expect(JSON.stringify([service.results, service.errorReports])).not.toContain('hunter2')
  })

  test('keeps results through an outage of the service and delivers each once after it', async () => {
    const service = await startFakeService()
    service.faults.set('results', 503)
    const { health, log } = await startTestAgent({ service })
    const runs = Array.from({ length: 50 }, () => dueRun())
    service.enqueue(...runs)
    await vi.waitFor(async () => expect((await health('/health')).text).toContain('"depth":50'))
    service.faults.set('results', 'drop')
    const tries = service.targets.length
    await vi.waitFor(() => expect(service.targets.slice(tries)).toContain('/agent/v1/results'), 5000)
    service.faults.delete('results')
    await vi.waitFor(() => expect(service.results).toHaveLength(50), 10_000)
    expect(new Set(service.results.map(({ runId }) => runId)).size).toBe(50)
    await vi.waitFor(async () => expect((await health('/health')).text).toContain('"depth":0'))
    expect(log.filter(({ level }) => level >= logLevel.error)).toEqual([])
  }, 15_000)

  test('says once that its key is not accepted, stays ready, and goes on when it is', async () => {
    const service = await startFakeService()
    service.faults.set('claims', 401)
    const { health, log } = await startTestAgent({ service })
    await vi.waitFor(async () => expect((await health('/health')).text).toContain('API_KEY_REJECTED'))
    await vi.waitFor(() => expect(service.targets.length).toBeGreaterThan(2), 5000)
    expect(log.filter(({ level }) => level >= logLevel.error)).toHaveLength(1)
    expect((await health('/-/readiness')).status).toBe(200)
    service.faults.delete('claims')
    service.enqueue(dueRun())
    await vi.waitFor(() => expect(service.results).toHaveLength(1), 5000)
    expect(JSON.stringify(log)).not.toContain(agentKey)
  }, 15_000)

  test('refuses a data folder that another agent uses', async () => {
    const { service, dataDir } = await startTestAgent()
    await expect(startTestAgent({ service, env: { PICKET_DATA_DIR: dataDir } })).rejects.toMatchObject({
      code: 'OUTBOX_IN_USE',
      fatal: true,
    })
  })

  test('says that its data folder cannot be written to', async () => {
    const { service, dataDir } = await startTestAgent()
    const file = join(dataDir, 'a-file')
    await writeFile(file, '')
    await expect(startTestAgent({ service, env: { PICKET_DATA_DIR: file } })).rejects.toMatchObject({
      code: 'DATA_DIR_UNUSABLE',
    })
  })

  test('is the same agent after a restart', async () => {
    const { service, dataDir, agent } = await startTestAgent()
    await vi.waitFor(() => expect(service.claims).toHaveLength(1))
    await agent.drain()
    await startTestAgent({ service, env: { PICKET_DATA_DIR: dataDir } })
    await vi.waitFor(() => expect(service.claims).toHaveLength(2))
    expect(service.claims[1]?.agentId).toBe(service.claims[0]?.agentId)
  })

  test('names the port of its health endpoints when that is in use', async () => {
    const { agent, service } = await startTestAgent()
    const env = { AGENT_HEALTH_PORT: String(agent.healthPort) }
    const error = await startTestAgent({ service, env }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code: 'HEALTH_PORT_IN_USE' })
    expect(String(error)).toContain(`Port ${agent.healthPort}`)
    expect(String(error)).toContain('AGENT_HEALTH_PORT')
  })

  test('counts its runs in its metrics', async () => {
    const { service, health } = await startTestAgent()
    service.enqueue(dueRun(), dueRun())
    await vi.waitFor(() => expect(service.results).toHaveLength(2))
    const { text } = await health('/metrics')
    expect(text).toContain('picket_runs_total{type="API",verdict="passing"} 2')
    expect(text).toContain('picket_run_lateness_seconds_count 2')
  })
})
