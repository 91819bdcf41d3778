import { DDSketch } from '@datadog/sketches-js'

/** How far a quantile may be from the true one, as a part of it. */
const relativeAccuracy = 0.01

/**
 * A sketch as it is stored. `bins`: key and count of each bin by rising key, each key as its distance from the one
 * before; values of 0 are in none of them. `n` counts all values, `squares` is the sum of their squares.
 */
export interface StoredSketch {
  readonly n: number
  readonly sum: number
  readonly squares: number
  readonly min: number
  readonly max: number
  readonly bins: readonly number[]
}

const thousandths = (value: number): number => Math.round(value * 1000) / 1000

/**
 * Values of 0 and more, of which count, sum, extremes and standard deviation are exact, and quantiles within 1 % of the
 * true value. Sketches of the hours of a month add up to the sketch of the month.
 */
export class Sketch {
  readonly #bins = new DDSketch({ relativeAccuracy })
  #sum = 0
  #squares = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY

  get count(): number {
    return this.#bins.count
  }

  add(value: number): void {
    this.#bins.accept(value)
    this.#summarize(value, value * value, value, value)
  }

  /** Bin by bin: the library's own merge loses values when the highest bin of the other is that of 1. */
  merge(stored: StoredSketch): void {
    let [key, binned] = [0, 0]
    for (let index = 0; index + 1 < stored.bins.length; index += 2) {
      const count = stored.bins[index + 1] ?? 0
      key += stored.bins[index] ?? 0
      binned += count
      this.#bins.store.add(key, count)
    }
    this.#bins.zeroCount += stored.n - binned
    this.#bins.count += stored.n
    this.#summarize(stored.sum, stored.squares, stored.min, stored.max)
  }

  #summarize(sum: number, squares: number, min: number, max: number): void {
    this.#sum += sum
    this.#squares += squares
    this.#min = Math.min(this.#min, min)
    this.#max = Math.max(this.#max, max)
  }

  /** `quantile` from 0 to 1. Null, as all that follow, when there is no value. */
  quantile(quantile: number): number | null {
    if (this.count === 0) return null
    const estimate = this.#bins.getValueAtQuantile(quantile)
    return thousandths(Math.min(this.#max, Math.max(this.#min, estimate)))
  }

  sum(): number | null {
    return this.count === 0 ? null : thousandths(this.#sum)
  }

  average(): number | null {
    return this.count === 0 ? null : thousandths(this.#sum / this.count)
  }

  min(): number | null {
    return this.count === 0 ? null : this.#min
  }

  max(): number | null {
    return this.count === 0 ? null : this.#max
  }

  /** Of the values as they are, not of a sample of more. */
  standardDeviation(): number | null {
    if (this.count === 0) return null
    const mean = this.#sum / this.count
    return thousandths(Math.sqrt(Math.max(0, this.#squares / this.count - mean * mean)))
  }

  /** Only of one that has a value. */
  toStored(): StoredSketch {
    const { bins, offset } = this.#bins.store
    const pairs: number[] = []
    let last = 0
    for (const [index, count] of bins.entries()) {
      if (count === 0) continue
      pairs.push(index + offset - last, count)
      last = index + offset
    }
    return {
      n: this.count,
      sum: thousandths(this.#sum),
      squares: thousandths(this.#squares),
      min: this.#min,
      max: this.#max,
      bins: pairs,
    }
  }
}
