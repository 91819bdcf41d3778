import type { Kysely } from 'kysely'
import type { MeasureName } from '../../rules/measures.ts'
import { Tally } from '../../rules/rollup.ts'
import type { Range } from '../../rules/rollup-ranges.ts'
import { hourOf, piecesOf } from '../../rules/rollup-time.ts'
import { readRolledUntil } from '../../storage/rollup-progress.ts'
import type { Schema } from '../../storage/schema.ts'
import { readFigures } from './read-figures.ts'

export interface ChecksToTally {
  readonly accountId: string
  readonly checkIds: readonly string[]
  readonly range: Range
  readonly measures: readonly MeasureName[]
}

/**
 * Of each check with a result in the range, from the beginning of its first hour: of many checks, single results are read
 * for the hours alone that are not rolled up yet.
 */
export async function tallyChecks(
  db: Kysely<Schema>,
  { accountId, checkIds, range, measures }: ChecksToTally,
): Promise<Map<string, Tally>> {
  const from = hourOf(range.from)
  const rolledUntil = await readRolledUntil(db)
  const tallies = new Map<string, Tally>()
  await readFigures(
    db,
    {
      accountId,
      checkIds,
      pieces: piecesOf({ from, to: Math.max(from, range.to), rolledUntil }),
      totalsAlone: measures.every((measure) => measure === 'total'),
    },
    (figure) => {
      const tally = tallies.get(figure.checkId) ?? new Tally(measures)
      tallies.set(figure.checkId, tally)
      figure.addTo(tally)
    },
  )
  return tallies
}
