import type { Kysely } from 'kysely'
import { listAccounts } from './accounts.ts'
import { deleteInBatches, rowsAStatement } from './batches.ts'
import type { Page, Paged } from './page.ts'
import type { Schema } from './schema.ts'
import type { TimeWindow } from './time-window.ts'

type CheckAlertRow = Schema['checkAlerts']

export interface CheckAlertFilter extends TimeWindow {
  readonly accountId: string
  readonly checkId?: string
}

/** Newest first, then by id. */
export async function listCheckAlerts(
  db: Kysely<Schema>,
  filter: CheckAlertFilter,
  { offset, limit }: Page,
): Promise<Paged<CheckAlertRow>> {
  const matching = matchingAlerts(db, filter)
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const newest = matching.selectAll().orderBy('createdAt', 'desc').orderBy('id')
  return { rows: await newest.offset(offset).limit(limit).execute(), total }
}

/** By when they were raised; what was told of them goes with them. Returns how many went. */
export async function deleteCheckAlertsBefore(db: Kysely<Schema>, before: number): Promise<number> {
  let deleted = 0
  // Account by account: the index of their listing finds them.
  for (const { id } of await listAccounts(db)) deleted += await deleteOfAccountBefore(db, id, before)
  return deleted
}

function deleteOfAccountBefore(db: Kysely<Schema>, accountId: string, before: number): Promise<number> {
  return deleteInBatches(async () => {
    const { numDeletedRows } = await db
      .deleteFrom('checkAlerts')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('checkAlerts')
          .select('id')
          .where('accountId', '=', accountId)
          .where('createdAt', '<', before)
          .orderBy('createdAt', 'desc')
          .orderBy('id')
          .limit(rowsAStatement),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}

function matchingAlerts(db: Kysely<Schema>, { accountId, checkId, from, to }: CheckAlertFilter) {
  const query = db
    .selectFrom('checkAlerts')
    .where('accountId', '=', accountId)
    .where('createdAt', '>=', from)
    .where('createdAt', '<', to)
  return checkId === undefined ? query : query.where('checkId', '=', checkId)
}
