import { describe, expect, test, vi } from 'vitest'
import { type CarryOutOptions, carryOut } from '../../src/agent/carry-out.ts'
import { ServiceClock } from '../../src/agent/service-clock.ts'
import type { Run } from '../../src/contract/run.ts'
import { resultIdOf } from '../../src/contract/run-ids.ts'
import { AppError } from '../../src/lib/app-error.ts'
import { judge } from '../../src/rules/judge.ts'
import { SharedBodyMemory } from '../../src/runner/body-memory.ts'
import { toReport } from '../../src/runner/report.ts'
import type { RunCheck } from '../../src/runner/run-check.ts'
import { apiDefinition } from '../support/api-definition.ts'
import { observed, unreachable } from '../support/api-outcomes.ts'
import { dueRun } from '../support/due-run.ts'

const dueAt = 1_700_000_000_000
const definition = apiDefinition('http://target.test/')
const signal = () => new AbortController().signal

/** Carries out a run that is `lateMs` late and takes `tookMs`. */
function setUp(options: Partial<CarryOutOptions> = {}, lateMs = 0, tookMs = 10) {
  let monotonic = 0
  const clock = new ServiceClock({ now: () => dueAt + lateMs + monotonic, monotonicMs: () => monotonic })
  const runCheck = vi.fn<RunCheck>(async () => {
    monotonic += tookMs
    return observed({})
  })
  const onFault = vi.fn<(error: unknown) => void>()
  return {
    runCheck,
    onFault,
    options: { runCheck, clock, bodies: new SharedBodyMemory(1000), conclude, ownFault, onFault, ...options },
  }
}

const conclude: CarryOutOptions['conclude'] = (checked, outcome) =>
  toReport(checked, outcome, judge(checked, outcome))
const ownFault: CarryOutOptions['ownFault'] = async () => null

const run = (fields: Partial<Run> = {}): Run => dueRun({ dueAt, intervalMs: 10_000, ...fields })

describe('an attempt', () => {
  test('gives a result of what was observed', async () => {
    const { options } = setUp({}, 1.5, 40)
    const due = run()
    expect(await carryOut(options, due, definition, signal())).toMatchObject({
      id: resultIdOf(due.id, 1),
      runId: due.id,
      checkId: due.checkId,
      dueAt,
      attempt: 1,
      resultType: 'FINAL',
      retryAt: null,
      startedAt: dueAt + 1,
      stoppedAt: dueAt + 41,
      queueUs: 1500,
      conclusion: { kind: 'judged', outcome: { kind: 'observed' }, verdict: { state: 'passing' } },
    })
  })

  test.each([
    [10_000, 'judged'],
    [10_001, 'missed'],
  ])('that comes %i ms late with an interval of 10 s is %s', async (lateMs, kind) => {
    const { options, runCheck } = setUp({}, lateMs)
    const result = await carryOut(options, run(), definition, signal())
    expect(result.conclusion.kind).toBe(kind)
    expect(runCheck).toHaveBeenCalledTimes(kind === 'missed' ? 0 : 1)
  })

  test('is made however late when it is a retry: the failure before it must not end as missed', async () => {
    const { options } = setUp({ runCheck: async () => unreachable() }, 10_001)
    const second = run({ attempt: 2, firstStartedAt: dueAt - 5000 })
    const { conclusion } = await carryOut(options, second, definition, signal())
    expect(conclusion).toMatchObject({ kind: 'judged', verdict: { state: 'failing' } })
  })

  test('asks for names anew when it is a retry: what was known of them may be why the first one failed', async () => {
    const { options, runCheck } = setUp()
    await carryOut(options, run(), definition, signal())
    await carryOut(options, run({ attempt: 2, firstStartedAt: dueAt }), definition, signal())
    expect(runCheck.mock.calls.map(([, , circumstances]) => circumstances?.freshDns)).toEqual([false, true])
  })

  test('that fails names the time of its retry', async () => {
    const retryStrategy = {
      type: 'FIXED',
      baseBackoffSeconds: 30,
      sameRegion: true,
      maxRetries: 1,
      maxDurationSeconds: 600,
    } as const
    const { options } = setUp({ runCheck: async () => unreachable() })
    const first = await carryOut(options, run(), { ...definition, retryStrategy }, signal())
    expect(first).toMatchObject({ resultType: 'ATTEMPT', retryAt: first.stoppedAt + 30_000 })
    const second = run({ attempt: 2, firstStartedAt: dueAt })
    expect(await carryOut(options, second, { ...definition, retryStrategy }, signal())).toMatchObject({
      id: resultIdOf(second.id, 2),
      resultType: 'FINAL',
      retryAt: null,
    })
  })

  test('that our own fault ended is errored, without a word of a foreign error', async () => {
    const error = new Error('password hunter2 of https://target.test/')
    const { options, onFault } = setUp({ runCheck: () => Promise.reject(error) })
    expect((await carryOut(options, run(), definition, signal())).conclusion).toEqual({
      kind: 'errored',
      reason: 'agent-fault',
      message: 'an unexpected fault of the agent',
    })
    expect(onFault).toHaveBeenCalledWith(error)
  })

  test('says which fault of our own it was', async () => {
    const error = new AppError('RESOLVER_DOWN', 'No resolver answers')
    const { options } = setUp({ runCheck: () => Promise.reject(error) })
    const { conclusion } = await carryOut(options, run(), definition, signal())
    expect(conclusion).toMatchObject({ message: 'RESOLVER_DOWN: No resolver answers' })
  })

  test('that fails by our own fault is errored, and not retried', async () => {
    const fault = { reason: 'no-route', message: 'this machine has no route' } as const
    const doubtful = vi.fn<CarryOutOptions['ownFault']>(async () => fault)
    const { options } = setUp({ runCheck: async () => unreachable(), ownFault: doubtful })
    const result = await carryOut(options, run(), { ...definition, doubleCheck: true }, signal())
    expect(result).toMatchObject({ resultType: 'FINAL', conclusion: { kind: 'errored', ...fault } })
    expect(doubtful).toHaveBeenCalledWith(
      {
        definition: { ...definition, doubleCheck: true },
        outcome: unreachable(),
        verdict: expect.objectContaining({ state: 'failing' }),
        begunMs: 0,
      },
      expect.any(AbortSignal),
    )
  })

  test('that passes is not doubted', async () => {
    const { options } = setUp({ ownFault: () => Promise.reject(new Error('doubted')) })
    expect((await carryOut(options, run(), definition, signal())).conclusion.kind).toBe('judged')
  })

  test.each(['rejects', 'answers'])('gives back what its bodies held, when its runner %s', async (ending) => {
    const bodies = new SharedBodyMemory(1000)
    const { options } = setUp({
      bodies,
      runCheck: async (_definition, _signal, { memory } = {}) => {
        expect(memory?.take(1000)).toBe(true)
        if (ending === 'rejects') throw new Error('no')
        return observed({})
      },
      conclude: (...seen) => {
        expect(bodies.heldBytes).toBe(1000)
        return conclude(...seen)
      },
    })
    await carryOut(options, run(), definition, signal())
    expect(bodies.heldBytes).toBe(0)
  })

  test.each([
    ['OUT_OF_SOCKETS', 'out-of-sockets'],
    ['ADDRESS_FAMILY_MISSING', 'no-route'],
    ['PROXY_UNUSABLE', 'proxy-unusable'],
    ['BODY_MEMORY_FULL', 'out-of-memory'],
    ['RUNNER_FAULT', 'agent-fault'],
  ])('that ends with %s has the reason %s', async (code, reason) => {
    const { options } = setUp({ runCheck: () => Promise.reject(new AppError(code, 'a fault')) })
    expect((await carryOut(options, run(), definition, signal())).conclusion).toMatchObject({ reason })
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('aborted'))],
    ['answers all the same', async () => unreachable()],
  ] as const)('that is told to stop says nothing about its target, when its runner %s', async (_, end) => {
    const stop = new AbortController()
    const { options, onFault } = setUp({
      runCheck: () => {
        stop.abort(new Error('let go'))
        return end()
      },
    })
    await expect(carryOut(options, run(), definition, stop.signal)).rejects.toThrow('let go')
    expect(onFault).not.toHaveBeenCalled()
  })
})
