import { expect, onTestFinished, test, vi } from 'vitest'
import { HeldRuns } from '../../src/agent/held-runs.ts'
import { keepLeases, releaseRuns } from '../../src/agent/leases.ts'
import { createServiceClient } from '../../src/agent/service-client.ts'
import { ServiceClock } from '../../src/agent/service-clock.ts'
import { serviceDispatcher } from '../../src/agent/service-dispatcher.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { Secret } from '../../src/lib/secret.ts'
import { dueRun } from '../support/due-run.ts'
import { agentKey, startFakeService } from '../support/test-agent.ts'

async function setUp() {
  const server = await startFakeService()
  const serviceUrl = new URL(server.url)
  const dispatcher = serviceDispatcher(serviceUrl, { http: undefined, https: undefined, none: '' })
  const stop = new AbortController()
  onTestFinished(async () => {
    stop.abort()
    await dispatcher.destroy()
  })
  const held = new HeldRuns()
  const onFailed = vi.fn<(error: unknown) => void>()
  const onRenewed = vi.fn<() => void>()
  const options = {
    agentId: newId(),
    held,
    service: createServiceClient({ serviceUrl, apiKey: new Secret(agentKey), dispatcher, version: '1' }),
    clock: new ServiceClock(systemClock),
    onFailed,
    onRenewed,
    everyMs: 20,
  }
  return { server, held, options, onFailed, onRenewed, signal: stop.signal }
}

test('renews the leases of all held runs, again and again', async () => {
  const { server, held, options, signal } = await setUp()
  const runs = [dueRun(), dueRun()]
  for (const run of runs) held.hold(run)
  void keepLeases(options, signal)
  await vi.waitFor(() => expect(server.renewed.length).toBeGreaterThanOrEqual(2))
  expect(server.renewed[0]).toEqual(runs.map(({ id }) => id))
})

test('says nothing of the runs that the agent planned by itself, until the service gives one', async () => {
  const { server, held, options, signal } = await setUp()
  const [own, given, leased] = [dueRun(), dueRun(), dueRun()]
  for (const run of [own, given]) held.holdOwn(run)
  for (const run of [given, leased]) held.hold(run)
  void keepLeases(options, signal)
  await vi.waitFor(() => expect(server.renewed).not.toEqual([]))
  expect(server.renewed[0]).toEqual([given.id, leased.id])
  held.stopAll()
  for (const { id } of [own, given, leased]) held.forget(id)
  expect(held.takeLetGo()).toEqual([given.id, leased.id])
})

test('drops a run whose lease was lost, and does not give it back', async () => {
  const { server, held, options, signal } = await setUp()
  const [lost, kept] = [held.hold(dueRun()), held.hold(dueRun())]
  if (lost) server.lost.add(lost.run.id)
  void keepLeases(options, signal)
  await vi.waitFor(() => expect(lost?.stop.signal.aborted).toBe(true))
  expect(kept?.stop.signal.aborted).toBe(false)
  held.forget(lost?.run.id ?? '')
  expect(held.takeLetGo()).toEqual([])
})

test('a run that was given back and comes again is not dropped for what was said of it before', async () => {
  const { held } = await setUp()
  const run = dueRun()
  held.hold(run)
  const asked = held.snapshot
  held.forget(run.id)
  const again = held.hold(run)
  held.lose([run.id], asked)
  expect(again?.stop.signal.aborted).toBe(false)
})

test('goes on after the service could not be reached', async () => {
  const { server, held, options, onFailed, signal } = await setUp()
  held.hold(dueRun())
  server.faults.set('leases', 'drop')
  void keepLeases(options, signal)
  await vi.waitFor(() => expect(onFailed).toHaveBeenCalled())
  server.faults.delete('leases')
  await vi.waitFor(() => expect(server.renewed).not.toHaveLength(0), 3000)
})

test('a renewal that failed is over when there is nothing to renew any more', async () => {
  const { server, held, options, onFailed, onRenewed, signal } = await setUp()
  const run = dueRun()
  held.hold(run)
  server.faults.set('leases', 'drop')
  void keepLeases(options, signal)
  await vi.waitFor(() => expect(onFailed).toHaveBeenCalled())
  held.forget(run.id)
  await vi.waitFor(() => expect(onRenewed).toHaveBeenCalled(), 3000)
})

test('does not fail when runs cannot be given back', async () => {
  const { server, options, onFailed } = await setUp()
  server.faults.set('releases', 503)
  await releaseRuns(options, [newId()])
  expect(onFailed).toHaveBeenCalledOnce()
})
