import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { CheckType } from '../../src/contract/check-types.ts'
import type { FailureClass, NetworkFailure } from '../../src/contract/failure.ts'
import type { OutcomeOf } from '../../src/contract/outcome.ts'
import type { DefinitionOf } from '../../src/contract/run.ts'
import type { Phase } from '../../src/contract/timings.ts'
import { judge } from '../../src/rules/judge.ts'

/** One row of docs/failures.md. */
export interface FaultRow {
  readonly failure: string
  readonly phase: Phase | null
  /** What is the matter. */
  readonly what: string
}

/** A row that is brought about; what is opened for it ends with the stack. */
export interface Misbehaviour<P> extends FaultRow {
  readonly failure: FailureClass
  /** The sentence of the result. */
  readonly says: string
  readonly start: (opened: AsyncDisposableStack) => Promise<P> | P
}

const page = readFileSync(new URL('../../docs/failures.md', import.meta.url), 'utf8')

/** The rows under one heading of docs/failures.md. */
export function documentedRows(heading: string): string[] {
  const section = page.split('\n## ').find((text) => text.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`docs/failures.md has no heading ${heading}`)
  return [...section.matchAll(/^\| `([a-z-]+)` +\| (\S+) +\| (.+?) +\|$/gm)].map(
    ([, name, phase, what]) => `${name} ${phase} ${what}`,
  )
}

/** As `documentedRows` has it. */
export const asDocumented = ({ failure, phase, what }: FaultRow) => `${failure} ${phase ?? '–'} ${what}`

/** Why there was no observation. @throws Error where there was one */
export function causeOf<T extends CheckType>(outcome: OutcomeOf<T>): NetworkFailure {
  if (outcome.kind === 'observed') throw new Error(`observed ${JSON.stringify(outcome.observation)}`)
  return outcome.cause
}

/** The attempt died like this, which fails its check and says nothing else; time spent before is kept. */
export function expectFailing<T extends CheckType>(
  definition: DefinitionOf<T>,
  outcome: OutcomeOf<T>,
  { failure, phase }: Pick<FaultRow, 'failure' | 'phase'>,
): void {
  const cause = causeOf(outcome)
  expect(cause).toMatchObject({ class: failure, phase })
  const { assertions, verdict } = judge(definition, outcome)
  expect({ assertions, ...verdict }).toMatchObject({
    assertions: [],
    state: 'failing',
    reasons: [cause.message],
  })
  const { phasesUs, totalUs } = outcome.timings
  expect(Object.values(phasesUs).reduce<number>((sum, us) => sum + (us ?? 0), 0)).toBe(totalUs)
}
