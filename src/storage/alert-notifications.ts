import type { Kysely } from 'kysely'
import type { Page, Paged } from './page.ts'
import type { Schema } from './schema.ts'
import type { TimeWindow } from './time-window.ts'

type NotificationRow = Schema['alertNotifications']

export interface AlertNotificationFilter extends TimeWindow {
  readonly accountId: string
  readonly channelId?: number
  /** Those that did not get through, or all the others. */
  readonly hasFailures?: boolean
}

/** Newest first, then by id. */
export async function listAlertNotifications(
  db: Kysely<Schema>,
  filter: AlertNotificationFilter,
  { offset, limit }: Page,
): Promise<Paged<NotificationRow>> {
  const matching = matchingNotifications(db, filter)
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const newest = matching.selectAll().orderBy('createdAt', 'desc').orderBy('id')
  return { rows: await newest.offset(offset).limit(limit).execute(), total }
}

function matchingNotifications(db: Kysely<Schema>, filter: AlertNotificationFilter) {
  const { accountId, channelId, from, to, hasFailures } = filter
  let query = db
    .selectFrom('alertNotifications')
    .where('accountId', '=', accountId)
    .where('createdAt', '>=', from)
    .where('createdAt', '<', to)
  if (channelId !== undefined) query = query.where('channelId', '=', channelId)
  if (hasFailures === undefined) return query
  return query.where('status', hasFailures ? 'in' : 'not in', ['FAILURE', 'RATE_LIMITED'])
}
