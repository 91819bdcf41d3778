import { sql } from 'kysely'
import type { LedgerAudit } from '../../src/contract/resources/ledger-audit.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import type { Happened } from './cause.ts'
import type { Told } from './told.ts'

export interface Facts {
  readonly databaseUrl: string
  readonly ledger: LedgerAudit
  readonly told: Told
  /** Of runs of the span. */
  readonly kept: ReadonlySet<string>
  readonly happened: readonly Happened[]
  readonly visits: number
}

/** Name, what was found, and whether it is a fault. */
export type Line = readonly [string, number | string, boolean]

const slackMs = 2000
const batch = 500

/** Runs that are due until then and have no final outcome yet. */
export async function openRuns(databaseUrl: string, untilMs: number): Promise<number> {
  return withDatabase(databaseUrl, async ({ kysely }) => {
    const { n } = await kysely
      .selectFrom('checkRuns')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('dueAt', '<=', untilMs)
      .where('state', '<>', 'done')
      .executeTakeFirstOrThrow()
    return Number(n)
  })
}

export async function judge(facts: Facts): Promise<Line[]> {
  const { ledger, told, kept } = facts
  const { lost, twice, blamed } = await withDatabase(facts.databaseUrl, async (database) => ({
    lost: await lostRuns(database, kept),
    twice: await doubleResults(database),
    blamed: await wrongBlames(database, facts),
  }))
  const final = ledger.passed + ledger.degraded + ledger.failed + ledger.errored
  const missed = Object.values(ledger.missed).reduce((sum, n) => sum + n, 0)
  return [
    ['slots expected', ledger.expected, ledger.expected === 0],
    ['slots final', final + missed, final + missed !== ledger.expected],
    ['  passed', ledger.passed, ledger.passed === 0],
    ['  degraded', ledger.degraded, false],
    ['  failed while the target was cut off', ledger.failed - blamed.length, false],
    ['  errored: our own fault, said so', ledger.errored, false],
    ...Object.entries(ledger.missed).map(([reason, n]): Line => [`  missed: ${reason}`, n, false]),
    ['slots open', ledger.open + ledger.unplanned, ledger.open + ledger.unplanned > 0],
    ['gaps', ledger.gaps.count, ledger.gaps.count > 0],
    ['duplicates: two runs of a slot', ledger.duplicates.count, ledger.duplicates.count > 0],
    ['duplicates: two final results of a run', twice, twice > 0],
    ['beyond the schedule', ledger.beyond, ledger.beyond > 0],
    ['target blamed for our fault', blamed.length, blamed.length > 0],
    ...blamed.slice(0, 5).map((text): Line => [`  ${text}`, '', false]),
    ['results kept on a disk', kept.size, kept.size === 0],
    ['  of these lost', lost.length, lost.length > 0],
    ...lost.slice(0, 5).map((text): Line => [`  ${text}`, '', false]),
    ['results acknowledged', told.acknowledged, false],
    ['results refused', told.refused, told.refused > 0],
    ['results dropped by an outbox', told.dropped, told.dropped > 0],
    ['visits to the target', facts.visits, false],
  ]
}

/** A judged result that was on an agent's disk decides its slot, unless another one did. */
async function lostRuns({ kysely }: Database, kept: ReadonlySet<string>): Promise<string[]> {
  const ids = [...kept]
  const lost: string[] = []
  for (let from = 0; from < ids.length; from += batch) {
    const some = ids.slice(from, from + batch)
    const rows = await kysely
      .selectFrom('checkRuns')
      .select(['id', 'outcome', 'reason'])
      .where('id', 'in', some)
      .execute()
    const known = new Map(rows.map((row) => [row.id, row]))
    for (const id of some) {
      const row = known.get(id)
      if (!row || row.outcome === null || row.outcome === 'missed') {
        lost.push(`run ${id}: ${row ? `${row.outcome} ${row.reason}` : 'no row'}`)
      }
    }
  }
  return lost
}

async function doubleResults({ kysely }: Database): Promise<number> {
  const { rows } = await sql`
    select run_id from check_results where result_type = 'FINAL' group by run_id having count(*) > 1`.execute(
    kysely,
  )
  return rows.length
}

/** Failed runs of which no part lies in a time when the target was cut off: it was well all the while. */
async function wrongBlames({ kysely }: Database, { happened }: Facts): Promise<string[]> {
  const cuts = happened.filter(({ kind }) => kind === 'cut the target off')
  const failed = await kysely
    .selectFrom('checkResults')
    .select(['runId', 'startedAt', 'stoppedAt', 'details', 'location'])
    .where('hasFailures', '=', 1)
    .execute()
  return failed
    .filter(({ startedAt, stoppedAt }) =>
      cuts.every(({ fromMs, untilMs }) => stoppedAt < fromMs - slackMs || startedAt > untilMs + slackMs),
    )
    .map(({ runId, startedAt, stoppedAt, details, location }) => {
      const cause = /"cause":(\{[^}]*\})/.exec(details)?.[1] ?? ''
      return `run ${runId} at ${location}, ${new Date(startedAt).toISOString()}, ${stoppedAt - startedAt} ms: ${cause}`
    })
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(url)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
