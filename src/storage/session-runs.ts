import { type Kysely, sql } from 'kysely'
import { batchesOf } from './batches.ts'
import { engineOf } from './engine.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

type RunRow = Schema['checkRuns']

/** In the order in which they were asked for. */
export function listRunsOfSession(db: Kysely<Schema>, sessionId: string): Promise<RunRow[]> {
  return db
    .selectFrom('checkRuns')
    .selectAll()
    .where('sessionId', '=', sessionId)
    .orderBy('createdAt')
    .orderBy('attemptAt')
    .orderBy('id')
    .execute()
}

/** Of several sessions at once, in no order. */
export async function listRunsOfSessions(
  db: Kysely<Schema>,
  sessionIds: readonly string[],
): Promise<RunRow[]> {
  const found: RunRow[] = []
  for (const batch of batchesOf(sessionIds)) {
    found.push(...(await db.selectFrom('checkRuns').selectAll().where('sessionId', 'in', batch).execute()))
  }
  return found
}

/** Those whose definition goes by one of these ids, whatever became of them. */
export async function findRunsOfDefinitions(
  db: Kysely<Schema>,
  definitionIds: readonly string[],
): Promise<RunRow[]> {
  const found: RunRow[] = []
  for (const batch of batchesOf(definitionIds)) {
    found.push(...(await db.selectFrom('checkRuns').selectAll().where('definitionId', 'in', batch).execute()))
  }
  return found
}

/**
 * Lets the first held run of the session be claimed from `at` on (epoch ms); nothing when none is held. It waits for
 * whoever has the row, rather than pass over it: a run that nobody lets would be held for ever.
 */
export async function letNextRun(db: Kysely<Schema>, sessionId: string, at: number): Promise<void> {
  await db
    .with('next', (qb) =>
      qb
        .selectFrom('checkRuns')
        .select('id')
        .where('sessionId', '=', sessionId)
        .where('state', '=', 'held')
        .orderBy('attemptAt')
        .orderBy('id')
        .limit(1)
        .$call(lockRows(engineOf(db))),
    )
    .updateTable('checkRuns')
    .set({ state: 'pending', dueAt: at, attemptAt: at })
    .where('id', 'in', (eb) => eb.selectFrom('next').select('next.id'))
    .execute()
}

/** Written out, not bound: the index of held runs serves only a query that says so in these words. */
const isHeld = sql<boolean>`held.state = 'held'`

/**
 * Lets a run of each session that holds some and has none under way: the one that should have let it went away with its
 * check. Belongs in a transaction.
 */
export async function letStalledRuns(db: Kysely<Schema>, at: number): Promise<void> {
  const stalled = await db
    .selectFrom('checkRuns as held')
    .select('held.sessionId')
    .distinct()
    .where(isHeld)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('checkRuns as other')
            .select('other.id')
            .whereRef('other.sessionId', '=', 'held.sessionId')
            .where('other.state', 'in', ['pending', 'leased']),
        ),
      ),
    )
    .orderBy('held.sessionId')
    .execute()
  for (const { sessionId } of stalled) if (sessionId !== null) await letNextRun(db, sessionId, at)
}
