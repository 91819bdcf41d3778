import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Finding, OwnTrouble } from '../../../src/agent/self-doubt/own-trouble.ts'
import { logLevel, logLines } from '../../support/log-lines.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const info = 30

function setUp() {
  const { logger, lines } = logLines()
  const trouble = new OwnTrouble({ logger })
  const met = (about: string, isOver: () => Promise<boolean>) =>
    trouble.met({
      about,
      fault: { reason: 'no-egress', message: `look at ${about}` },
      isOver,
    } satisfies Finding)
  return { trouble, met, heard: () => lines.filter(({ level }) => level >= info) }
}

test('a trouble is said once when it begins and once when it is over, with how many attempts met it', async () => {
  const { met, heard } = setUp()
  let over = false
  for (let times = 0; times < 3; times += 1) met('egress', async () => over)
  expect(heard()).toMatchObject([
    { level: logLevel.warn, reason: 'no-egress', msg: expect.stringContaining('egress') },
  ])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(heard()).toHaveLength(1)
  over = true
  await vi.advanceTimersByTimeAsync(10_000)
  expect(heard().slice(1)).toMatchObject([{ level: info, reason: 'no-egress', attempts: 3 }])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(heard()).toHaveLength(2)
})

test('a trouble that comes again is said again', async () => {
  const { met, heard } = setUp()
  met('egress', async () => true)
  await vi.advanceTimersByTimeAsync(10_000)
  met('egress', async () => true)
  expect(heard()).toHaveLength(3)
})

test('two troubles are two, though their reason is the same', () => {
  const { met, heard } = setUp()
  met('IPv4', async () => false)
  met('IPv6', async () => false)
  expect(heard()).toHaveLength(2)
})

test('a look that fails is no end of the trouble', async () => {
  const { met, heard } = setUp()
  met('egress', () => Promise.reject(new Error('no')))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(heard()).toHaveLength(1)
})

test('nothing is looked at or said after it is closed', async () => {
  const { trouble, met, heard } = setUp()
  const look = Promise.withResolvers<boolean>()
  met('one', () => look.promise)
  await vi.advanceTimersByTimeAsync(10_000)
  met('other', async () => true)
  trouble.close()
  look.resolve(true)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(heard()).toHaveLength(2)
  expect(vi.getTimerCount()).toBe(0)
})
