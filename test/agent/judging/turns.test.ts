import { describe, expect, test } from 'vitest'
import { Turns } from '../../../src/agent/judging/turns.ts'

function setUp() {
  const time = { ms: 0 }
  const turns = new Turns(() => time.ms)
  let place = 0
  const come = (checkId: string) => {
    place += 1
    const waiting = { checkId, cameMs: time.ms, place }
    turns.add(waiting)
    return waiting
  }
  const order = () => {
    const checkIds: string[] = []
    for (let next = turns.next(); next; next = turns.next()) checkIds.push(next.checkId)
    return checkIds
  }
  return { time, turns, come, order }
}

describe('the next turn', () => {
  test('is for who came first, where no check has worked for a turn', () => {
    const { turns, come, order } = setUp()
    turns.worked('a', 249)
    for (const checkId of ['a', 'b', 'c', 'a']) come(checkId)
    expect(order()).toEqual(['a', 'b', 'c', 'a'])
    expect(turns.next()).toBeNull()
  })

  test('is for the check that worked least, whoever came first', () => {
    const { turns, come, order } = setUp()
    turns.worked('greedy', 3000)
    turns.worked('busy', 600)
    for (const checkId of ['greedy', 'busy', 'innocent']) come(checkId)
    expect(order()).toEqual(['innocent', 'busy', 'greedy'])
  })

  test('goes round among checks that all want more', () => {
    const { turns, come } = setUp()
    for (const checkId of ['a', 'b', 'c']) come(checkId)
    const order: string[] = []
    for (let turn = 0; turn < 9; turn += 1) {
      const next = turns.next()
      if (!next) break
      order.push(next.checkId)
      turns.worked(next.checkId, 300)
      turns.add(next)
    }
    expect(order.join('')).toBe('abcabcabc')
  })

  test('is for the earlier attempt of a check, also when it comes again', () => {
    const { turns, come } = setUp()
    const first = come('a')
    const second = come('a')
    expect(turns.next()).toBe(first)
    turns.add(first)
    expect(turns.next()).toBe(first)
    expect(turns.next()).toBe(second)
  })

  test('is for a greedy check again when it has rested: each minute halves what it worked', () => {
    const { time, turns, come, order } = setUp()
    turns.worked('greedy', 1000)
    turns.worked('other', 250)
    come('greedy')
    time.ms = 120_001
    turns.worked('other', 250)
    come('other')
    expect(order()).toEqual(['greedy', 'other'])
  })
})

describe('a check that has a turn has a rival', () => {
  test.each([
    ['none where nobody waits', [], false],
    ['not in its own attempts', ['a'], false],
    ['in one that worked less', ['innocent'], true],
    ['in one that worked as much', ['equal'], true],
    ['not in one that worked more', ['greedier'], false],
  ])('%s', (_what, others, expected) => {
    const { turns, come } = setUp()
    for (const checkId of ['a', 'equal']) turns.worked(checkId, 500)
    turns.worked('greedier', 750)
    for (const checkId of others) come(checkId)
    expect(turns.hasRival('a')).toBe(expected)
  })
})

test('an attempt is overdue when its check goes on after 30 s, and no other is', () => {
  const { time, turns, come, order } = setUp()
  const first = come('a')
  come('b')
  time.ms = 1
  come('a')
  time.ms = 30_000
  expect(turns.takeOverdue({ checkId: 'a', cameMs: time.ms })).toEqual([])
  time.ms = 30_001
  expect(turns.takeOverdue({ checkId: 'c', cameMs: time.ms })).toEqual([])
  expect(turns.takeOverdue({ checkId: 'a', cameMs: time.ms })).toEqual([first])
  expect(order()).toEqual(['b', 'a'])
})
