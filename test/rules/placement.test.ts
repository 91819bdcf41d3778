import { expect, test } from 'vitest'
import { placement } from '../../src/rules/placement.ts'
import { dueBetween, phaseMsOf } from '../../src/rules/schedule.ts'

const schedule = { intervalMs: 60_000, phaseMs: 12_345 }
const locations = ['eu-west-1', 'us-east-1', 'office']
const oneHour = dueBetween(schedule, 1_700_000_000_000, 1_700_000_000_000 + 3_600_000, 60)

test('runs everywhere at once when parallel', () => {
  expect(placement(schedule, 12_345, locations, true)).toEqual(locations)
})

test('runs nowhere without a location', () => {
  expect(placement(schedule, 12_345, [], false)).toEqual([])
  expect(placement(schedule, 12_345, [], true)).toEqual([])
})

test('stays at the only location', () => {
  expect(oneHour.flatMap((dueAt) => placement(schedule, dueAt, ['office'], false))).toEqual(
    oneHour.map(() => 'office'),
  )
})

test('takes one location a tick, each in its turn and in their order', () => {
  const places = oneHour.flatMap((dueAt) => placement(schedule, dueAt, locations, false))
  const start = locations.indexOf(places[0] ?? '')
  expect(places).toEqual(oneHour.map((_, index) => locations[(start + index) % locations.length]))
})

test('gives the same slot the same location, whenever it is asked', () => {
  const forwards = oneHour.map((dueAt) => placement(schedule, dueAt, locations, false))
  const backwards = oneHour.toReversed().map((dueAt) => placement(schedule, dueAt, locations, false))
  expect(backwards.toReversed()).toEqual(forwards)
})

test('spreads the checks of one minute over all locations', () => {
  const counts = new Map<string, number>()
  for (let index = 0; index < 3000; index += 1) {
    const phaseMs = phaseMsOf(`check ${index}`, 1, undefined)
    const [place = ''] = placement({ intervalMs: 60_000, phaseMs }, 600_000 + phaseMs, locations, false)
    counts.set(place, (counts.get(place) ?? 0) + 1)
  }
  for (const location of locations) expect(Math.abs((counts.get(location) ?? 0) - 1000)).toBeLessThan(160)
})
