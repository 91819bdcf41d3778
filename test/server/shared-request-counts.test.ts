import { describe, expect, test } from 'vitest'
import { SharedRequestCounts } from '../../src/server/http/shared-request-counts.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { manualClock } from '../support/manual-clock.ts'

type CountRow = Schema['rateLimitCounts']
const minuteMs = 60_000
const t0 = Date.parse('2026-03-01T12:00:00Z')

/** What the database does, in memory: sums by window and caller. */
class Sums {
  readonly rows = new Map<string, CountRow>()
  readonly forgotten: number[] = []

  add = async (counts: readonly CountRow[]): Promise<CountRow[]> =>
    counts.map((row) => {
      const key = `${row.windowStart} ${row.caller}`
      const sum = { ...row, requests: row.requests + (this.rows.get(key)?.requests ?? 0) }
      this.rows.set(key, sum)
      return sum
    })

  deleteBefore = async (windowStart: number): Promise<void> => {
    this.forgotten.push(windowStart)
  }
}

function server(
  storage: ConstructorParameters<typeof SharedRequestCounts>[0]['storage'],
  clock = manualClock(),
) {
  clock.ms = t0
  const errors: unknown[] = []
  const counts = new SharedRequestCounts({ storage, clock, onError: (error) => errors.push(error) })
  const count = (caller = 'key') => counts.count(caller, minuteMs).current
  return { counts, count, errors, clock }
}

describe('servers that count together', () => {
  test('know of each other’s requests after an exchange', async () => {
    const sums = new Sums()
    const [a, b] = [server(sums), server(sums)]
    for (let n = 0; n < 5; n += 1) a.count()
    expect(b.count()).toBe(1)
    await a.counts.exchange()
    await b.counts.exchange()
    expect(b.count()).toBe(7)
    await a.counts.exchange()
    expect(a.count()).toBe(6)
    await Promise.all([a.counts.close(), b.counts.close()])
  })

  test('count callers apart, and begin anew with each window', async () => {
    const { counts, count, clock } = server(new Sums())
    count()
    count()
    expect(count('other')).toBe(1)
    await counts.exchange()
    clock.ms += minuteMs - 1
    expect(counts.count('key', minuteMs)).toEqual({ current: 3, ttl: 1 })
    clock.ms += 1
    expect(counts.count('key', minuteMs)).toEqual({ current: 1, ttl: minuteMs })
    await counts.close()
  })

  test('exchange by themselves what they counted', async () => {
    const sums = new Sums()
    const { counts, count } = server(sums)
    count()
    await expect.poll(() => sums.rows.get(`${t0} key`)?.requests).toBe(1)
    await counts.close()
  })

  test('have old windows forgotten once an hour', async () => {
    const sums = new Sums()
    const { counts, count, clock } = server(sums)
    for (const ms of [0, 59 * minuteMs, minuteMs]) {
      clock.ms += ms
      count()
      await counts.exchange()
    }
    expect(sums.forgotten).toEqual([t0])
    await counts.close()
  })
})

describe('a database that is in trouble', () => {
  test('holds up no request while it is slow, and nothing is counted twice', async () => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<CountRow[]>()
    const add = () => {
      asked.resolve()
      return answer.promise
    }
    const { counts, count } = server({ add, deleteBefore: async () => {} })
    count()
    count()
    const exchange = counts.exchange()
    await asked.promise
    expect([count(), count()]).toEqual([3, 4])
    answer.resolve([{ windowStart: t0, caller: 'key', requests: 12 }])
    await exchange
    expect(count()).toBe(15)
    await counts.close()
  })

  test('is told to the operator, and each server goes on counting by itself', async () => {
    const fault = new Error('gone')
    const add = () => Promise.reject(fault)
    const { counts, count, errors } = server({ add, deleteBefore: async () => {} })
    count()
    await counts.exchange()
    expect(count()).toBe(2)
    expect(errors).toEqual([fault])
    await counts.close()
  })
})

test('the callers that are kept in mind are bounded', async () => {
  const { counts, count } = server(new Sums())
  count('first')
  for (let n = 0; n < 10_000; n += 1) count(`caller ${n}`)
  expect(count('caller 9999')).toBe(2)
  expect(count('first')).toBe(1)
  await counts.close()
})
