import { type Kysely, sql } from 'kysely'
import { engineOf } from './engine.ts'
import type { Page, Paged } from './page.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'
import type { Flag } from './tables/flag.ts'

type ErrorGroupRow = Schema['errorGroups']

/** One failing result. */
export type ErrorEvent = Omit<
  ErrorGroupRow,
  'firstSeen' | 'lastSeen' | 'events' | 'archivedUntilNextEvent' | 'archivedForEver'
> & {
  /** Epoch milliseconds. */
  readonly at: number
}

const mostOfOneOwner = 500

/** A message that stays new however it is cleaned pushes out the oldest ones, and never fills the disk. */
async function dropOldestErrorGroups(db: Kysely<Schema>, event: ErrorEvent): Promise<void> {
  const { accountId, scope, checkId } = event
  await db
    .deleteFrom('errorGroups')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('errorGroups')
        .select('id')
        .where('accountId', '=', accountId)
        .where('scope', '=', scope)
        .where('checkId', checkId === null ? 'is' : '=', checkId)
        .orderBy('lastSeen', 'desc')
        .orderBy('id')
        // SQLite knows no offset without a limit.
        .limit(mostOfOneOwner)
        .offset(mostOfOneOwner),
    )
    .execute()
}

/**
 * Counts the event in its group, or begins one. The newest event is what the group shows, and ends an archiving that was
 * until the next event; one that comes late changes neither. Belongs in a transaction.
 */
export async function addErrorEvent(db: Kysely<Schema>, event: ErrorEvent): Promise<void> {
  const { at, ...group } = event
  const known = await lockErrorGroup(db, event.accountId, event.scope, event.id)
  const environments = merged(known?.environments ?? '[]', group.environments)
  const newer = sql<boolean>`excluded.last_seen > error_groups.last_seen`
  const { events } = await db
    .insertInto('errorGroups')
    .values({
      ...group,
      environments,
      firstSeen: at,
      lastSeen: at,
      events: 1,
      archivedUntilNextEvent: 0,
      archivedForEver: 0,
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        environments,
        events: sql`error_groups.events + 1`,
        rawErrorMessage: sql`case when ${newer} then excluded.raw_error_message else error_groups.raw_error_message end`,
        archivedUntilNextEvent: sql`case when ${newer} then 0 else error_groups.archived_until_next_event end`,
        firstSeen: sql`case when excluded.first_seen < error_groups.first_seen
          then excluded.first_seen else error_groups.first_seen end`,
        lastSeen: sql`case when ${newer} then excluded.last_seen else error_groups.last_seen end`,
      }),
    )
    .returning('events')
    .executeTakeFirstOrThrow()
  if (events === 1) await dropOldestErrorGroups(db, event)
}

/** Names of environments, as they are stored, each once. */
function merged(known: string, added: string): string {
  // Written here and nowhere else.
  const names = [known, added].flatMap((text) => JSON.parse(text) as string[])
  return JSON.stringify([...new Set(names)].slice(0, 100))
}

export function findErrorGroup(
  db: Kysely<Schema>,
  accountId: string,
  scope: ErrorGroupRow['scope'],
  id: string,
): Promise<ErrorGroupRow | undefined> {
  return ofScope(db, accountId, scope).selectAll().where('id', '=', id).executeTakeFirst()
}

function lockErrorGroup(
  db: Kysely<Schema>,
  accountId: string,
  scope: ErrorGroupRow['scope'],
  id: string,
): Promise<ErrorGroupRow | undefined> {
  return ofScope(db, accountId, scope)
    .selectAll()
    .where('id', '=', id)
    .$call(lockRows(engineOf(db)))
    .executeTakeFirst()
}

export interface Archiving {
  readonly archivedUntilNextEvent?: Flag
  readonly archivedForEver?: Flag
}

/** What is left out stays as it is. */
export async function archiveErrorGroup(db: Kysely<Schema>, id: string, archiving: Archiving): Promise<void> {
  if (Object.keys(archiving).length === 0) return
  await db.updateTable('errorGroups').set(archiving).where('id', '=', id).execute()
}

/** Of the account or of one check; last seen first. */
export async function listErrorGroups(
  db: Kysely<Schema>,
  { accountId, scope, checkId }: Pick<ErrorGroupRow, 'accountId' | 'scope'> & { readonly checkId?: string },
  { offset, limit }: Page,
): Promise<Paged<ErrorGroupRow>> {
  const all = ofScope(db, accountId, scope)
  const matching = checkId === undefined ? all : all.where('checkId', '=', checkId)
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await matching
    .selectAll()
    .orderBy('lastSeen', 'desc')
    .orderBy('id')
    .offset(offset)
    .limit(limit)
    .execute()
  return { rows, total }
}

function ofScope(db: Kysely<Schema>, accountId: string, scope: ErrorGroupRow['scope']) {
  return db.selectFrom('errorGroups').where('accountId', '=', accountId).where('scope', '=', scope)
}
