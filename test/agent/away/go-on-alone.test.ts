import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Contact } from '../../../src/agent/away/contact.ts'
import { OnItsOwn } from '../../../src/agent/away/go-on-alone.ts'
import { ServiceClock } from '../../../src/agent/service-clock.ts'
import type { Schedules } from '../../../src/contract/agent-schedules.ts'
import type { Run } from '../../../src/contract/run.ts'
import { runIdOf } from '../../../src/contract/run-ids.ts'
import { AppError } from '../../../src/lib/app-error.ts'
import { hashId } from '../../../src/lib/ids.ts'
import { logLevel, logLines } from '../../support/log-lines.ts'
import { manualClock } from '../../support/manual-clock.ts'

const checkId = hashId('a check')
const intervalMs = 10_000
const check = { checkId, version: 3, intervalMs, phaseMs: 0, runParallel: false }
const schedules: Schedules = {
  locations: ['here'],
  checks: [{ ...check, locations: ['here', 'there'], windows: [0] }],
  windows: [{ startMs: 400_000, endMs: 500_000, repeat: null }],
}
const unreachable = new AppError('SERVICE_UNAVAILABLE', 'x')
const refused = new AppError('API_KEY_REJECTED', 'x')

/** On a clock that stands still but when a test moves it; `turn` waits until it has been looked at. */
function setUp(options: { readonly maxAwayMs?: number; readonly freeSlots?: number } = {}) {
  const clock = manualClock()
  const serviceClock = new ServiceClock(clock)
  const contact = new Contact(() => clock.ms)
  const { logger, lines } = logLines()
  const runs: Run[] = []
  const ask = vi.fn<() => Promise<void>>(async () => {})
  const looks = vi.fn<() => number>(() => options.freeSlots ?? 100)
  const alone = new OnItsOwn({
    logger,
    clock: serviceClock,
    contact,
    freeSlots: looks,
    follow: (run) => runs.push(run) > 0,
    ask,
    maxAwayMs: options.maxAwayMs ?? 3_600_000,
    onPlanned: () => {},
  })
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  alone.use(schedules)
  contact.reached({ serverTime: 0, slots: 10, runs: [] })
  void alone.goOn(stop.signal)
  const turn = async (ms: number) => {
    clock.ms = ms
    const before = looks.mock.calls.length
    await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(before + 1), { timeout: 3000 })
  }
  const leave = (ms: number) => {
    clock.ms = ms
    contact.failed(unreachable)
  }
  const dueAts = () => runs.map(({ dueAt }) => dueAt)
  return { clock, contact, lines, runs, ask, turn, leave, dueAts }
}

describe('an agent that is away', () => {
  test('runs the slots whose turn it is, under the id that the service would give them', async () => {
    const { runs, turn, leave, dueAts } = setUp()
    leave(1000)
    await turn(9_400)
    expect(runs).toEqual([])
    await turn(19_600)
    await turn(39_600)
    expect(dueAts()).toEqual([20_000, 40_000])
    expect(runs[0]).toEqual({
      ...{ id: runIdOf(checkId, 'here', 20_000), checkId, version: 3, location: 'here', dueAt: 20_000 },
      ...{ intervalMs, attempt: 1, attemptAt: 20_000, firstStartedAt: null },
    })
  })

  test('runs nothing that is late by more than its interval, and nothing in a maintenance window', async () => {
    const { turn, leave, dueAts } = setUp()
    leave(1000)
    await turn(205_000)
    expect(dueAts()).toEqual([200_000])
    await turn(400_000)
    expect(dueAts()).toEqual([200_000])
    await turn(499_900)
    expect(dueAts()).toEqual([200_000, 500_000])
  })

  test('goes on for no longer than it may, and says so', async () => {
    const { contact, lines, turn, leave, dueAts } = setUp({ maxAwayMs: 30_000 })
    leave(1000)
    await turn(20_000)
    await turn(60_000)
    await turn(80_000)
    expect(dueAts()).toEqual([20_000])
    expect(lines.filter(({ level }) => level === logLevel.error)).toMatchObject([
      { msg: expect.stringContaining('PICKET_AWAY_MAX_HOURS') },
    ])
    contact.reached({ serverTime: 80_000, slots: 10, runs: [] })
    leave(81_000)
    await turn(100_000)
    expect(dueAts()).toEqual([20_000, 100_000])
  })

  test('takes no more than it has room for', async () => {
    const { turn, leave, dueAts } = setUp({ freeSlots: 0 })
    leave(1000)
    await turn(20_000)
    expect(dueAts()).toEqual([])
  })
})

describe('the contact with the service', () => {
  const contactAt = () => {
    const clock = manualClock()
    return { clock, contact: new Contact(() => clock.ms) }
  }

  test('is lost when nothing is answered for a second, and found again by an answer', () => {
    const { clock, contact } = contactAt()
    contact.failed(unreachable)
    clock.ms = 999
    expect(contact).toMatchObject({ state: 'in-touch', inDoubt: true, awayMs: 0 })
    contact.failed(unreachable)
    clock.ms = 1000
    expect(contact).toMatchObject({ state: 'away', inDoubt: false, awayMs: 1000 })
    contact.reached({ serverTime: 5, slots: 1, runs: [] })
    expect(contact).toMatchObject({ state: 'in-touch', inDoubt: false, awayMs: 0 })
  })

  test('ends with a key that is not accepted, until a claim is answered', () => {
    const { clock, contact } = contactAt()
    contact.failed(unreachable)
    clock.ms = 5000
    contact.failed(refused)
    expect(contact).toMatchObject({ state: 'shut-out', awayMs: 0 })
    contact.failed(unreachable)
    clock.ms = 10_000
    expect(contact.state).toBe('shut-out')
    contact.reached({ serverTime: 5, slots: 1, runs: [] })
    expect(contact.state).toBe('in-touch')
  })

  test.each(['SERVICE_REFUSED', 'SERVICE_ANSWER_INVALID', 'OUTBOX_FAILED'])('is not lost by %s', (code) => {
    const { clock, contact } = contactAt()
    contact.failed(new AppError(code, 'x'))
    clock.ms = 10_000
    expect(contact.state).toBe('in-touch')
  })

  test('covers what was due at an answer, but of a full one no more than is in it, and never less than before', () => {
    const { contact } = contactAt()
    expect(contact.coveredUntil).toBeNull()
    contact.reached({ serverTime: 1000, slots: 2, runs: [{ attemptAt: 500 }] })
    expect(contact.coveredUntil).toBe(1000)
    contact.reached({ serverTime: 2000, slots: 2, runs: [{ attemptAt: 1100 }, { attemptAt: 1200 }] })
    expect(contact.coveredUntil).toBe(1199)
    contact.reached({ serverTime: 3000, slots: 1, runs: [{ attemptAt: 700 }] })
    expect(contact.coveredUntil).toBe(1199)
    contact.reached({ serverTime: 4000, slots: 1, runs: [{ attemptAt: 5500 }] })
    expect(contact.coveredUntil).toBe(4000)
  })

  test('says for how long an answer is waited for', () => {
    const { clock, contact } = contactAt()
    contact.asked()
    clock.ms = 70
    expect(contact.waitingMs).toBe(70)
    contact.answered()
    expect(contact.waitingMs).toBe(0)
  })
})
