import { expect, test } from 'vitest'
import { addRequests, deleteRateLimitCountsBefore } from '../../src/storage/rate-limit-counts.ts'
import { forEachEngine } from '../support/databases.ts'
import { t0 } from '../support/storage-rows.ts'

const minuteMs = 60_000
const row = (caller: string, requests: number, windowStart = t0) => ({ caller, requests, windowStart })

forEachEngine((_engine, open) => {
  test('adds up what is counted, for each caller and window apart', async () => {
    const { kysely: db } = await open()
    await addRequests(db, [row('a', 2), row('b', 5)])
    const sums = await addRequests(db, [row('b', 1), row('a', 3), row('a', 7, t0 + minuteMs)])
    expect(sums.toSorted((a, b) => a.requests - b.requests)).toEqual([
      row('a', 5),
      row('b', 6),
      row('a', 7, t0 + minuteMs),
    ])
  })

  test('loses nothing when many add to the same callers at once, in any order', async () => {
    const { kysely: db } = await open()
    const callers = Array.from({ length: 400 }, (_, n) => row(`caller ${n}`, 1))
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => addRequests(db, n % 2 === 0 ? callers : callers.toReversed())),
    )
    const sums = await addRequests(db, callers)
    expect(new Set(sums.map(({ requests }) => requests))).toEqual(new Set([21]))
  })

  test('forgets whole windows', async () => {
    const { kysely: db } = await open()
    await addRequests(db, [row('a', 2), row('a', 3, t0 + minuteMs)])
    await deleteRateLimitCountsBefore(db, t0 + minuteMs)
    expect(await addRequests(db, [row('a', 1), row('a', 1, t0 + minuteMs)])).toEqual(
      expect.arrayContaining([row('a', 1), row('a', 4, t0 + minuteMs)]),
    )
  })
})
