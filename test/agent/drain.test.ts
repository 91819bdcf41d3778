import { describe, expect, test, vi } from 'vitest'
import type { RunCheck } from '../../src/runner/run-check.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { observed, unreachable } from '../support/api-outcomes.ts'
import { dueRun } from '../support/due-run.ts'
import { startFakeService, startTestAgent } from '../support/test-agent.ts'

/** Checks that end when `open` is called, or when they are told to stop. */
function gatedCheck() {
  const gate = Promise.withResolvers<void>()
  const runCheck = vi.fn<RunCheck>(async (_, signal) => {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    await Promise.race([gate.promise, stopped])
    signal.throwIfAborted()
    return observed({})
  })
  return { runCheck, open: gate.resolve }
}

async function draining() {
  const { runCheck, open } = gatedCheck()
  const service = await startFakeService()
  const started = await startTestAgent({ service, runCheck, env: { JOB_CONCURRENCY: '2' } })
  const running = [dueRun(), dueRun()]
  const queued = dueRun()
  const notDue = dueRun({ dueAt: Date.now() + 60_000 })
  service.enqueue(...running, queued, notDue)
  await vi.waitFor(async () =>
    expect(JSON.parse((await started.health('/health')).text).queue).toMatchObject({
      running: 2,
      waiting: 1,
      held: 4,
    }),
  )
  const drained = started.agent.drain()
  return { ...started, runCheck, open, running, queued, notDue, drained }
}

describe('a drain', () => {
  test('is not ready at once, stays alive, claims nothing, and waits for running checks', async () => {
    const { health, service, open, running, queued, notDue, drained, runCheck } = await draining()
    expect((await health('/-/readiness')).status).toBe(503)
    expect((await health('/-/liveness')).status).toBe(200)
    expect((await health('/health')).text).toContain('"status":"draining"')
    await vi.waitFor(() => expect(new Set(service.released)).toEqual(new Set([queued.id, notDue.id])))
    const claims = service.claims.length
    service.enqueue(dueRun())
    open()
    await drained
    expect(service.claims).toHaveLength(claims)
    expect(new Set(service.results.map(({ runId }) => runId))).toEqual(new Set(running.map(({ id }) => id)))
    expect(runCheck).toHaveBeenCalledTimes(2)
    await expect(health('/-/liveness')).rejects.toThrow()
  })

  test('that is told to hurry gives running checks back and says nothing about their targets', async () => {
    const { agent, service, running, queued, notDue, drained } = await draining()
    agent.skipGrace()
    await drained
    const all = [...running, queued, notDue].map(({ id }) => id)
    expect(new Set(service.released)).toEqual(new Set(all))
    expect(service.results).toEqual([])
  })

  test('that is told to hurry does not wait for a service that says nothing', async () => {
    const { runCheck } = gatedCheck()
    const { agent, service } = await startTestAgent({ runCheck })
    service.faults.set('releases', 'silence')
    service.enqueue(dueRun(), dueRun({ dueAt: Date.now() + 60_000 }))
    await vi.waitFor(() => expect(runCheck).toHaveBeenCalled())
    const drained = agent.drain()
    agent.skipGrace()
    await drained
  }, 10_000)

  test('gives running checks back when the grace is over', async () => {
    const { runCheck } = gatedCheck()
    const env = { PICKET_DRAIN_GRACE_SECONDS: '0' }
    const { agent, service } = await startTestAgent({ runCheck, env })
    const run = dueRun()
    service.enqueue(run)
    await vi.waitFor(() => expect(runCheck).toHaveBeenCalled())
    await agent.drain()
    expect(service.released).toEqual([run.id])
    expect(service.results).toEqual([])
  })

  test('sends the attempt that was made and leaves its retry to another agent', async () => {
    const service = await startFakeService()
    const retryStrategy = {
      type: 'FIXED',
      baseBackoffSeconds: 60,
      sameRegion: true,
      maxRetries: 2,
      maxDurationSeconds: 600,
    } as const
    service.define({ ...apiDefinition('http://target.test/'), retryStrategy })
    const gate = Promise.withResolvers<void>()
    const runCheck = vi.fn<RunCheck>(async () => {
      await gate.promise
      return unreachable()
    })
    const { agent } = await startTestAgent({ service, runCheck })
    const run = dueRun()
    service.enqueue(run)
    await vi.waitFor(() => expect(runCheck).toHaveBeenCalled())
    const drained = agent.drain()
    gate.resolve()
    await drained
    expect(service.results).toMatchObject([{ runId: run.id, resultType: 'ATTEMPT' }])
    expect(service.released).toEqual([run.id])
  })

  test('ends although the service is gone', async () => {
    const { agent, service, log, health } = await startTestAgent()
    service.faults.set('results', 503)
    service.enqueue(dueRun())
    await vi.waitFor(async () => expect((await health('/health')).text).toContain('"depth":1'))
    await service.close()
    agent.skipGrace()
    await agent.drain()
    expect(log.map(({ msg }) => msg)).toContain('unsent results stay in the outbox for the next start')
    await service.listen()
  })
})
