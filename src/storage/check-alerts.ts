import type { Kysely } from 'kysely'
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

function matchingAlerts(db: Kysely<Schema>, { accountId, checkId, from, to }: CheckAlertFilter) {
  const query = db
    .selectFrom('checkAlerts')
    .where('accountId', '=', accountId)
    .where('createdAt', '>=', from)
    .where('createdAt', '<', to)
  return checkId === undefined ? query : query.where('checkId', '=', checkId)
}
