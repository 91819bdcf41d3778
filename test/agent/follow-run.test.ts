import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Contact } from '../../src/agent/away/contact.ts'
import { DueTimers } from '../../src/agent/due-timers.ts'
import { type FollowOptions, followRun } from '../../src/agent/follow-run.ts'
import { HeldRuns } from '../../src/agent/held-runs.ts'
import { RunQueue } from '../../src/agent/queue.ts'
import { ServiceClock } from '../../src/agent/service-clock.ts'
import type { Result } from '../../src/contract/result.ts'
import type { Run } from '../../src/contract/run.ts'
import { AppError } from '../../src/lib/app-error.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { judge } from '../../src/rules/judge.ts'
import { SharedBodyMemory } from '../../src/runner/body-memory.ts'
import { toReport } from '../../src/runner/report.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { observed } from '../support/api-outcomes.ts'
import { dueRun } from '../support/due-run.ts'

const definition = apiDefinition('http://target.test/')

function setUp(overrides: Partial<FollowOptions> = {}) {
  const clock = new ServiceClock(systemClock)
  const timers = new DueTimers(() => clock.monotonicMs())
  onTestFinished(() => timers.close())
  const held = new HeldRuns()
  const stored: Result[] = []
  const options: FollowOptions = {
    held,
    timers,
    clock,
    queue: new RunQueue(10),
    contact: new Contact(() => clock.monotonicMs()),
    runCheck: async () => observed({}),
    bodies: new SharedBodyMemory(1000),
    conclude: (definition, outcome) => toReport(definition, outcome, judge(definition, outcome)),
    ownFault: async () => null,
    store: async (result) => void stored.push(result),
    onStart: () => {},
    onResult: () => {},
    onFault: vi.fn<(error: unknown) => void>(),
    ...overrides,
  }
  const follow = (run: Run, check = definition, heldRun = held.hold(run)) => {
    if (!heldRun) throw new Error('it is held already')
    return followRun(options, heldRun, check)
  }
  return { held, options, stored, follow }
}

describe('a held run', () => {
  test('is held until its result is on the disk, and forgotten then', async () => {
    const disk = Promise.withResolvers<void>()
    const store = vi.fn<FollowOptions['store']>(() => disk.promise)
    const { held, follow } = setUp({ store })
    const run = dueRun()
    const followed = follow(run)
    await vi.waitFor(() => expect(store).toHaveBeenCalledOnce())
    expect(held.leasedIds).toEqual([run.id])
    disk.resolve()
    await followed
    expect(held.leasedIds).toEqual([])
  })

  test('that is lost before it is due is never run', async () => {
    const runCheck = vi.fn<FollowOptions['runCheck']>(async () => observed({}))
    const { held, follow, stored, options } = setUp({ runCheck })
    const run = dueRun({ dueAt: Date.now() + 60_000 })
    const followed = follow(run)
    held.lose([run.id])
    await followed
    expect(held.size).toBe(0)
    expect(stored).toEqual([])
    expect(runCheck).not.toHaveBeenCalled()
    expect(options.onFault).not.toHaveBeenCalled()
  })

  test('that is lost in the middle is stopped, and nothing is said about its target', async () => {
    const running = Promise.withResolvers<void>()
    const { held, follow, stored } = setUp({
      runCheck: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')))
          running.resolve()
        }),
    })
    const run = dueRun()
    const followed = follow(run)
    await running.promise
    held.lose([run.id])
    await followed
    expect(stored).toEqual([])
  })

  test('is taken once, although the service gives it twice', () => {
    const held = new HeldRuns()
    const run = dueRun()
    expect(held.hold(run)).not.toBeNull()
    expect(held.hold(run)).toBeNull()
  })
})

describe('a run whose retries are made elsewhere', () => {
  const elsewhere = { ...definition, doubleCheck: true, retriesElsewhere: true }
  const fails = async () => observed({ status: 500 })
  const unreachable = new AppError('SERVICE_UNAVAILABLE', 'The service cannot be reached')
  const attempts = (stored: readonly Result[]) =>
    stored.map(({ attempt, resultType, retryElsewhere }) => [attempt, resultType, retryElsewhere])

  test('is given back with the attempt that failed', async () => {
    const { held, follow, stored } = setUp({ runCheck: fails })
    await follow(dueRun(), elsewhere)
    expect(attempts(stored)).toEqual([[1, 'ATTEMPT', true]])
    expect(stored[0]?.retryAt).toBe(stored[0]?.stoppedAt)
    expect(held.size).toBe(0)
  })

  test.each([
    ['when it passes', async () => observed({}), 1],
    ['when the retry it was given fails, too', fails, 2],
  ])('ends here %s', async (_when, runCheck, attempt) => {
    const { follow, stored } = setUp({ runCheck })
    await follow(dueRun({ attempt, ...(attempt > 1 && { firstStartedAt: Date.now() }) }), elsewhere)
    expect(attempts(stored)).toEqual([[attempt, 'FINAL', false]])
  })

  test('is retried here while the service cannot be reached, or in doubt whether it can', async () => {
    let now = 0
    for (const absentMs of [0, 5000]) {
      const contact = new Contact(() => now)
      contact.failed(unreachable)
      now += absentMs
      const { follow, stored } = setUp({ runCheck: fails, contact })
      await follow(dueRun(), elsewhere)
      expect(attempts(stored)).toEqual([
        [1, 'ATTEMPT', false],
        [2, 'FINAL', false],
      ])
    }
  })

  test('is retried here when the agent planned it by itself', async () => {
    const { held, follow, stored } = setUp({ runCheck: fails })
    const run = dueRun()
    await follow(run, elsewhere, held.holdOwn(run))
    expect(attempts(stored).map(([attempt]) => attempt)).toEqual([1, 2])
  })

  test('is not given back when the check has no other location', async () => {
    const { follow, stored } = setUp({ runCheck: fails })
    await follow(dueRun(), { ...elsewhere, retriesElsewhere: false })
    expect(attempts(stored)).toEqual([
      [1, 'ATTEMPT', false],
      [2, 'FINAL', false],
    ])
  })
})
