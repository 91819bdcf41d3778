import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Sketch, type StoredSketch } from '../../src/rules/rollup-sketch.ts'

const values = fc.array(fc.integer({ min: 0, max: 60_000_000 }), { minLength: 1, maxLength: 200 })
const toMs = (list: readonly number[]) => list.map((us) => us / 1000)

function sketchOf(list: readonly number[]): Sketch {
  const sketch = new Sketch()
  for (const value of list) sketch.add(value)
  return sketch
}

/** As it comes back from storage. */
const stored = (sketch: Sketch): StoredSketch => JSON.parse(JSON.stringify(sketch.toStored()))

test('quantiles are within one percent of the value at their rank', () => {
  fc.assert(
    fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, quantile) => {
      const ms = toMs(list)
      const exact = ms.toSorted((a, b) => a - b)[Math.floor(quantile * (ms.length - 1))] ?? 0
      const estimate = sketchOf(ms).quantile(quantile) ?? Number.NaN
      expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact * 0.01 + 0.001)
    }),
  )
})

test('count, sum, extremes, average and deviation are those of the values', () => {
  const sketch = sketchOf([2, 4, 4, 4, 5, 5, 7, 9])
  expect(sketch.count).toBe(8)
  expect([sketch.sum(), sketch.average(), sketch.min(), sketch.max()]).toEqual([40, 5, 2, 9])
  expect(sketch.standardDeviation()).toBe(2)
})

test('parts that were stored add up to the sketch of all values', () => {
  fc.assert(
    fc.property(fc.array(values, { minLength: 1, maxLength: 6 }), (parts) => {
      const merged = new Sketch()
      for (const part of parts) merged.merge(stored(sketchOf(toMs(part))))
      const whole = sketchOf(toMs(parts.flat()))
      expect(stored(merged).bins).toEqual(stored(whole).bins)
      expect(merged.count).toBe(whole.count)
      for (const quantile of [0, 0.5, 0.95, 1])
        expect(merged.quantile(quantile)).toBe(whole.quantile(quantile))
      expect(merged.sum()).toBeCloseTo(whole.sum() ?? 0, 1)
    }),
  )
})

test('no value is lost when the greatest of a part is 1, whose bin is the zeroth', () => {
  const merged = sketchOf([0.1])
  merged.merge(stored(sketchOf([0.5, 1])))
  expect(merged.quantile(1)).toBeCloseTo(1, 1)
  expect(stored(merged).bins.filter((_, index) => index % 2 === 1)).toEqual([1, 1, 1])
})

test('zeros count, and have no bin', () => {
  const sketch = sketchOf([0, 0, 0, 8])
  expect(sketch.quantile(0.5)).toBe(0)
  expect(stored(sketch)).toMatchObject({ n: 4, sum: 8, min: 0, max: 8, bins: [expect.any(Number), 1] })
  const merged = new Sketch()
  merged.merge(stored(sketch))
  expect([merged.quantile(0.5), merged.max()]).toEqual([0, 8])
})

test('nothing is said of no values', () => {
  const sketch = new Sketch()
  const said = [sketch.quantile(0.5), sketch.average(), sketch.sum(), sketch.min(), sketch.max()]
  expect([...said, sketch.standardDeviation()]).toEqual([null, null, null, null, null, null])
})

test('an hour of a result every ten seconds is a few hundred characters', () => {
  const sketch = sketchOf(Array.from({ length: 360 }, (_, index) => 80 + (index % 60)))
  expect(JSON.stringify(sketch.toStored()).length).toBeLessThan(400)
})
