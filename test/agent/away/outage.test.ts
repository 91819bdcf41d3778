import { expect, onTestFinished, test, vi } from 'vitest'
import { OwnPlan } from '../../../src/agent/away/own-plan.ts'
import type { Schedules } from '../../../src/contract/agent-schedules.ts'
import type { Result } from '../../../src/contract/result.ts'
import { hashId } from '../../../src/lib/ids.ts'
import { phaseMsOf } from '../../../src/rules/schedule.ts'
import { apiDefinition } from '../../support/api-definition.ts'
import type { FakeService } from '../../support/fake-service.ts'
import { startFakeService, startTestAgent } from '../../support/test-agent.ts'

const checks = 300
const intervalMs = 2000
const location = 'eu-west-1'
const patience = { timeout: 30_000, interval: 100 }

const checkIds = Array.from({ length: checks }, (_, index) => hashId('a check', index))
const schedules: Schedules = {
  locations: [location],
  checks: checkIds.map((checkId) => ({
    checkId,
    version: 1,
    intervalMs,
    phaseMs: phaseMsOf(checkId, 0, 10) % intervalMs,
    locations: [location],
    runParallel: false,
    windows: [],
  })),
  windows: [],
}

/** Plans as the service does: ahead, and nothing older than an interval when it comes back. */
function startPlanning(service: FakeService, from: number): () => void {
  const plan = new OwnPlan(schedules, from)
  const timer = setInterval(() => service.enqueue(...plan.take(from, Date.now() + 2000, 10_000)), 100)
  onTestFinished(() => clearInterval(timer))
  return () => clearInterval(timer)
}

const slotsOf = (results: readonly Result[], checkId: string) =>
  results
    .filter((result) => result.checkId === checkId)
    .map(({ dueAt }) => dueAt)
    .toSorted((a, b) => a - b)

test('an outage of the service costs no slot and makes none late, when it begins, while it lasts or after it', async () => {
  const service = await startFakeService()
  const definition = apiDefinition('http://target.test/')
  service.define(...checkIds.map((checkId) => ({ ...definition, checkId })))
  service.schedules = schedules
  const { health } = await startTestAgent({ service })
  const stopPlanning = startPlanning(service, Date.now())
  await vi.waitFor(() => expect(service.results.length).toBeGreaterThan(2 * checks), patience)

  stopPlanning()
  await service.close()
  const ownRuns = async () => JSON.parse((await health('/health')).text).away.ownRuns
  await vi.waitFor(async () => expect(await ownRuns()).toBeGreaterThan(3 * checks), patience)
  await service.listen()
  const backAt = Date.now()
  startPlanning(service, backAt - intervalMs)
  await vi.waitFor(() => {
    for (const id of checkIds)
      expect(slotsOf(service.results, id).at(-1) ?? 0).toBeGreaterThan(backAt + 2 * intervalMs)
  }, patience)

  for (const checkId of checkIds) {
    const [first = 0, ...others] = slotsOf(service.results, checkId)
    expect(others).toEqual(others.map((_, index) => first + (index + 1) * intervalMs))
  }
  for (const { conclusion } of service.results) expect(conclusion.kind).toBe('judged')
  const late = service.results.filter(({ queueUs }) => queueUs > 500_000).map(({ dueAt }) => dueAt)
  // Only what was due while nobody could say yet whether the service is away.
  expect(late.length).toBeLessThan(checks)
  expect(late.filter((dueAt) => dueAt > backAt)).toEqual([])
}, 90_000)
