import { setImmediate } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { RollupKey, Tally } from '../../rules/rollup.ts'
import type { Piece } from '../../rules/rollup-time.ts'
import { batchesOf } from '../../storage/batches.ts'
import { firstResultAt, listMeasures } from '../../storage/measured-results.ts'
import { listRollups, listTotals } from '../../storage/rollups.ts'
import type { Schema } from '../../storage/schema.ts'

/** One result, or several that are alike, of one check. */
export interface Figure extends RollupKey {
  readonly checkId: string
  /** When the result, or the hour or day of the results, began. */
  readonly at: number
  addTo(tally: Tally): void
}

export interface FiguresWanted {
  readonly accountId: string
  readonly checkIds: readonly string[]
  readonly pieces: readonly Piece[]
  /** Nothing but the total is measured then, in a third of the time. */
  readonly totalsAlone: boolean
}

const resultsAtOnceMs = 6 * 60 * 60_000
/** A range may be of centuries, and results of some days. */
const longMs = 2 * 24 * 60 * 60_000
/** SQLite works on the event loop: what it reads at once must not hold others up. */
const checksAtOnce = 20

/** Hands over every figure of these checks in these pieces of time, a bounded number of them in memory at once. */
export async function readFigures(
  db: Kysely<Schema>,
  wanted: FiguresWanted,
  take: (figure: Figure) => void,
): Promise<void> {
  for (const checkIds of batchesOf(wanted.checkIds, checksAtOnce)) {
    const ofBatch = { ...wanted, checkIds }
    for (const piece of wanted.pieces) {
      for await (const portion of portionsOf(db, ofBatch, piece)) {
        for (const figure of await read(db, ofBatch, portion)) take(figure)
        await setImmediate()
      }
    }
  }
}

/** Of single results; what is left of a long piece is looked through for the first result before it is cut further. */
async function* portionsOf(db: Kysely<Schema>, wanted: FiguresWanted, piece: Piece): AsyncGenerator<Piece> {
  const { source, to } = piece
  if (source !== 'result') {
    yield piece
    return
  }
  let { from } = piece
  while (from < to) {
    const end = Math.min(to, from + resultsAtOnceMs)
    yield { source, from, to: end }
    from = to - end > longMs ? ((await firstResultAt(db, { ...wanted, from: end, to })) ?? to) : end
  }
}

async function read(db: Kysely<Schema>, wanted: FiguresWanted, piece: Piece): Promise<Figure[]> {
  const { accountId, checkIds, totalsAlone } = wanted
  const { from, to, source } = piece
  if (source === 'result') {
    const results = await listMeasures(db, { accountId, checkIds, from, to })
    return results.map((result) => ({
      ...result,
      at: result.startedAt,
      addTo: (tally) => tally.addResult(result),
    }))
  }
  const list = totalsAlone ? listTotals : listRollups
  const rollups = await list(db, checkIds, { span: source, from, to })
  return rollups.map((rollup) => ({
    ...rollup,
    at: rollup.startsAt,
    addTo: (tally) => tally.addRollup(rollup),
  }))
}
