import { expect, test } from 'vitest'
import { observed } from '../../support/api-outcomes.ts'
import {
  type Assertion,
  asserting,
  assertion,
  bait,
  catastrophe,
  messagesOf,
  setUpJudging,
} from '../../support/judging.ts'

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

let made = 0
/** Never the same twice: an engine takes less time for one that it knows. */
const slowPattern = () => {
  made += 1
  return `^(a+)+$|b{${made}}`
}

/** A text on which such a pattern takes more than a turn and less than twice that. */
function slowText(): string {
  for (let letters = 16; ; letters += 1) {
    const text = `${'a'.repeat(letters)}!`
    const begunMs = cpuMs()
    new RegExp(slowPattern(), 'u').test(text)
    if (cpuMs() - begunMs > 260) return text
  }
}

const text = slowText()
const harmless = assertion({ property: '(!)', comparison: 'EQUALS', target: '!' })
const slow = (count: number) => Array.from({ length: count }, () => assertion({ property: slowPattern() }))

function setUp(options?: Parameters<typeof setUpJudging>[0]) {
  const judging = setUpJudging(options)
  const ended: string[] = []
  const judge = async (checkId: string, assertions: readonly Assertion[], body = text) => {
    const report = await judging.conclude({ ...asserting(...assertions), checkId }, observed({ body }))
    ended.push(checkId)
    return messagesOf(report)
  }
  return { ...judging, judge, ended }
}

test('greedy checks make another wait for a turn of theirs, not for all of their assertions', async () => {
  const { judge, ended, threads } = setUp()
  const greedy = ['greedy 1', 'greedy 2', 'greedy 3']
  for (const round of [1, 2]) {
    const judged = greedy.map((checkId) => judge(checkId, [...slow(3), harmless]))
    judged.push(judge('innocent', [harmless]))
    const [last, ...others] = (await Promise.all(judged)).toReversed()
    expect(last).toEqual([null])
    // What was paused lost nothing: each was evaluated, and none ran out of time.
    for (const messages of others) {
      expect(messages).toEqual([...Array(3).fill(expect.stringMatching(/found nothing$/)), null])
    }
    expect(ended.splice(0)[0], `round ${round}`).toBe('innocent')
  }
  expect(threads).toHaveLength(1)
}, 60_000)

test('an attempt still waiting when its check goes on for 30 s is our own fault, and no other is', async () => {
  const time = { ms: 0 }
  const { judge } = setUp({ clock: { monotonicMs: () => time.ms } })
  const endless = [assertion({ property: catastrophe })]
  const judged = judge('greedy', endless, bait)
  const waiting = judge('greedy', endless, bait)
  const other = judge('other', [harmless])
  time.ms = 30_001
  const later = judge('greedy', [harmless])
  await expect(waiting).rejects.toMatchObject({
    code: 'JUDGING_OVERDUE',
    message: 'The attempt waited too long for its turn to be judged',
  })
  expect(await Promise.all([judged, other, later])).toEqual([
    [expect.stringContaining('took longer than 1000 ms')],
    [null],
    [null],
  ])
}, 60_000)
