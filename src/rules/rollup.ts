import { type MeasureName, type Measures, measureNames } from './measures.ts'
import { Sketch, type StoredSketch } from './rollup-sketch.ts'

/** How the one FINAL result of a run ended; `errored` says nothing about the target (semantics §3). */
export const rolledOutcomes = ['passed', 'degraded', 'failed', 'errored'] as const
export type RolledOutcome = (typeof rolledOutcomes)[number]

/** Results that are alike in all that figures are asked for by. `statusCode` is 0 where no status came back. */
export interface RollupKey {
  readonly location: string
  readonly outcome: RolledOutcome
  readonly statusCode: number
}

/** One result, as figures are made of it. */
export interface MeasuredResult extends RollupKey {
  readonly retries: number
  readonly measures: Measures
}

export type StoredSketches = Readonly<Partial<Record<MeasureName, StoredSketch>>>

/** Figures of several results that are alike. */
export interface Rollup extends RollupKey {
  readonly results: number
  readonly retries: number
  readonly sketches: StoredSketches
}

const none: Readonly<Record<RolledOutcome, number>> = { passed: 0, degraded: 0, failed: 0, errored: 0 }

/** Adds results up, and what was added up of others. */
export class Tally {
  readonly #measures: readonly MeasureName[]
  readonly #sketches = new Map<MeasureName, Sketch>()
  readonly #results = { ...none }
  #retries = 0

  /** Keeps sketches of these measures alone. */
  constructor(measures: readonly MeasureName[] = measureNames) {
    this.#measures = measures
  }

  get results(): number {
    return rolledOutcomes.reduce((sum, outcome) => sum + this.#results[outcome], 0)
  }

  get retries(): number {
    return this.#retries
  }

  /** Of one measure; undefined when no result has it. */
  sketch(measure: MeasureName): Sketch | undefined {
    return this.#sketches.get(measure)
  }

  addResult({ outcome, retries, measures }: MeasuredResult): void {
    this.#count(outcome, 1, retries)
    for (const measure of this.#measures) {
      const value = measures[measure]
      if (value !== undefined) this.#of(measure).add(value)
    }
  }

  addRollup({ outcome, results, retries, sketches }: Omit<Rollup, 'location' | 'statusCode'>): void {
    this.#count(outcome, results, retries)
    for (const measure of this.#measures) {
      const stored = sketches[measure]
      if (stored) this.#of(measure).merge(stored)
    }
  }

  /** Percent of the results that say something of the target; null when none does. Degraded counts (semantics §3). */
  availability(): number | null {
    const { passed, degraded, failed } = this.#results
    const judged = passed + degraded + failed
    return judged === 0 ? null : Math.round((1e6 * (passed + degraded)) / judged) / 1e4
  }

  toRollup(key: RollupKey): Rollup {
    const sketches = [...this.#sketches].map(([measure, sketch]) => [measure, sketch.toStored()])
    return { ...key, results: this.results, retries: this.#retries, sketches: Object.fromEntries(sketches) }
  }

  #count(outcome: RolledOutcome, results: number, retries: number): void {
    this.#results[outcome] += results
    this.#retries += retries
  }

  #of(measure: MeasureName): Sketch {
    const known = this.#sketches.get(measure)
    if (known) return known
    const made = new Sketch()
    this.#sketches.set(measure, made)
    return made
  }
}

/** Rows of an hour or a day from those of shorter ones and from results: one for each location, outcome and status. */
export function rollUpAll(rollups: readonly Rollup[], results: readonly MeasuredResult[]): Rollup[] {
  const groups = new Map<string, { key: RollupKey; tally: Tally }>()
  const groupOf = ({ location, outcome, statusCode }: RollupKey): Tally => {
    const name = `${outcome} ${statusCode} ${location}`
    const group = groups.get(name) ?? { key: { location, outcome, statusCode }, tally: new Tally() }
    groups.set(name, group)
    return group.tally
  }
  for (const rollup of rollups) groupOf(rollup).addRollup(rollup)
  for (const result of results) groupOf(result).addResult(result)
  return [...groups.values()].map(({ key, tally }) => tally.toRollup(key))
}
