import { expect, test } from 'vitest'
import { rollupRows } from '../../bench/api/seed-rows.ts'
import { byHour, inOrder, planOf, resultsOfCheck, startOf } from '../../bench/api/stored-plan.ts'
import { mixed, resultOf, timedId } from '../../bench/api/stored-result.ts'
import { Result } from '../../src/contract/result.ts'
import { validator } from '../../src/lib/validate.ts'
import { dayMs, hourMs } from '../../src/rules/rollup-time.ts'

const now = 1_795_280_180_806
const plan = planOf({ checks: 200, results: 4000 }, now)
const slot = {
  id: timedId(now, 1, 2, 1),
  runId: timedId(now, 1, 2, 2),
  checkId: timedId(now, 1, 2, 3),
  location: 'eu-west-1',
}

test('as many results are stored as were asked for, half of them of the busy checks', () => {
  const all = [...inOrder(plan)]
  const ofBusy = all.filter(({ check }) => check < plan.busy)
  expect(all).toHaveLength(4000)
  expect(ofBusy.length / all.length).toBeCloseTo(0.505, 3)
  expect(new Set(all.map(({ check, n }) => `${check} ${n}`)).size).toBe(4000)
})

test('the results of a check lie over the 30 days before this hour, in order', () => {
  for (const check of [0, 1, 2, 199]) {
    const starts = Array.from({ length: resultsOfCheck(plan, check) }, (_, n) => startOf(plan, check, n))
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    expect(starts[0]).toBeGreaterThanOrEqual(plan.from)
    expect(starts.at(-1)).toBeLessThan(plan.until)
  }
  expect(plan.until - plan.from).toBe(30 * dayMs)
  expect(now - plan.until).toBeLessThan(hourMs)
})

test('figures of an hour are made of the results that started in it', () => {
  const numbers = [...byHour(plan, 0)].flatMap(([hour, ofHour]) => {
    for (const n of ofHour) expect(Math.floor(startOf(plan, 0, n) / hourMs) * hourMs).toBe(hour)
    return ofHour
  })
  expect(numbers).toEqual(Array.from({ length: resultsOfCheck(plan, 0) }, (_, n) => n))
})

test('every result is in the figures of one hour and of one day', () => {
  const small = planOf({ checks: 20, results: 400 }, now)
  const rows = [...rollupRows(small)]
  const counted = (span: string) =>
    rows.filter((row) => row.span === span).reduce((sum, { results }) => sum + results, 0)
  expect(counted('hour')).toBe([...inOrder(small)].length)
  expect(counted('day')).toBe(counted('hour'))
})

test('a stored result is one that the service takes in', () => {
  const read = validator(Result)
  for (let n = 0; n < 300; n += 1) {
    expect(read(resultOf(7, n, { ...slot, startedAt: now }))).toMatchObject({ kind: 'valid' })
  }
})

test('some results fail and some are slow', () => {
  const states = Array.from({ length: 3000 }, (_, n) => {
    const { conclusion } = resultOf(3, n, { ...slot, startedAt: now })
    return conclusion.kind === 'judged' ? conclusion.verdict.state : conclusion.kind
  })
  const share = (state: string) => states.filter((one) => one === state).length / states.length
  expect(share('failing')).toBeGreaterThan(0.003)
  expect(share('failing')).toBeLessThan(0.03)
  expect(share('degraded')).toBeGreaterThan(0.005)
  expect(share('passing')).toBeGreaterThan(0.94)
})

test('ids are those of no other result', () => {
  const ids = new Set<string>()
  for (let check = 0; check < 100; check += 1)
    for (let n = 0; n < 1000; n += 1) ids.add(timedId(now, check, n, 1))
  expect(ids.size).toBe(100_000)
  expect(timedId(now, 5, 6, 1)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(mixed(5, 6)).toBe(mixed(5, 6))
})
