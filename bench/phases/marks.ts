/** CLOCK_MONOTONIC in milliseconds with fractions: the same clock in every process of a machine. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** A step that the target took, or saw the prober take. */
export type Mark = 'asked' | 'told' | 'accepted' | 'resumed' | 'request' | 'answered' | 'ended'

/** One attempt as the target saw it. */
export interface TargetRecord {
  readonly script: string
  /** Attempts of one lane follow each other; so do its records. */
  readonly lane: number
  readonly marks: readonly (readonly [Mark, number])[]
}

/** The records of a target, as they come about. */
export class TargetRecords {
  readonly #records: { script: string; lane: number; marks: [Mark, number][] }[] = []

  /** Begins a record. Of a step that comes twice, the first counts. */
  begin(script: string, lane: number): (mark: Mark, atMs?: number) => void {
    const record: { script: string; lane: number; marks: [Mark, number][] } = { script, lane, marks: [] }
    this.#records.push(record)
    return (mark, atMs = monotonicMs()) => {
      if (!record.marks.some(([name]) => name === mark)) record.marks.push([mark, atMs])
    }
  }

  get all(): readonly TargetRecord[] {
    return this.#records
  }
}
