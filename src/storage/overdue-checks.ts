import { type Kysely, sql } from 'kysely'
import { batchesOf } from './batches.ts'
import type { Schema } from './schema.ts'

type OverdueRow = Schema['overdueChecks']

export interface SilenceRule {
  /** Epoch milliseconds. */
  readonly now: number
  /** Silence that came before the service itself began is not held against a check. */
  readonly listeningSince: number
  /** A check is silent after so many of its intervals and `slackMs`. */
  readonly intervals: number
  readonly slackMs: number
}

/**
 * Of the checks that run, up to `limit` behind `after` by id: those of whose slots nothing was heard. A result is a sign of
 * life, an attempt that is to be retried, and a reason that is told of elsewhere (maintenance, a place without agents).
 * Returns also where the next page begins, null behind the last.
 */
export async function findSilentChecks(
  db: Kysely<Schema>,
  rule: SilenceRule,
  after: string,
  limit: number,
): Promise<{ silent: OverdueRow[]; next: string | null }> {
  const running = await db
    .selectFrom('checks')
    .select('id')
    .where('nextDueAt', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  const ids = running.map(({ id }) => id)
  return {
    silent: await silentAmong(db, rule, ids),
    next: ids.length < limit ? null : (ids.at(-1) ?? null),
  }
}

/** Of these checks, those that run and are silent. */
export async function silentAmong(
  db: Kysely<Schema>,
  { now, listeningSince, intervals, slackMs }: SilenceRule,
  checkIds: readonly string[],
): Promise<OverdueRow[]> {
  if (checkIds.length === 0) return []
  const sign = sql`r.session_id is null and (r.outcome in ('passed', 'degraded', 'failed', 'errored')
    or r.reason in ('maintenance', 'location-unavailable') or r.attempt > 1)`
  const { rows } = await sql<OverdueRow>`
    select id as check_id, account_id, cast(${now} as bigint) as noticed_at, coalesce(
      (select max(r.due_at) from check_runs r where r.check_id = expected.id and ${sign}), active_since) as since_at
    from (
      select c.id, c.account_id, ${intervals} * c.interval_ms + ${slackMs} as patience_ms, (
        select min(s.from_at) from check_schedules s where s.check_id = c.id and s.state = 'active' and s.from_at >
          coalesce((select max(o.from_at) from check_schedules o where o.check_id = c.id and o.state <> 'active'), -1)
      ) as active_since
      from checks c where c.next_due_at is not null and c.id in (${sql.join(checkIds)})
    ) as expected
    where patience_ms <= ${now - listeningSince} and active_since <= ${now} - patience_ms and not exists (
      select 1 from check_runs r where r.check_id = expected.id and r.due_at >= ${now} - patience_ms and ${sign}
    )
    order by id
  `.execute(db)
  return rows
}

/** Those of them that were not noticed before. */
export async function insertOverdueChecks(
  db: Kysely<Schema>,
  rows: readonly OverdueRow[],
): Promise<string[]> {
  const noticed: string[] = []
  for (const batch of batchesOf(rows)) {
    const inserted = await db
      .insertInto('overdueChecks')
      .values(batch)
      .onConflict((conflict) => conflict.doNothing())
      .returning('checkId')
      .execute()
    noticed.push(...inserted.map(({ checkId }) => checkId))
  }
  return noticed
}

/** Up to `limit` ids behind `after`, in order. */
export async function listOverdueIds(db: Kysely<Schema>, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('overdueChecks')
    .select('checkId')
    .where('checkId', '>', after)
    .orderBy('checkId')
    .limit(limit)
    .execute()
  return rows.map(({ checkId }) => checkId)
}

/** Those of them that were there: another server may have been first. */
export async function deleteOverdueChecks(
  db: Kysely<Schema>,
  checkIds: readonly string[],
): Promise<string[]> {
  if (checkIds.length === 0) return []
  const rows = await db
    .deleteFrom('overdueChecks')
    .where('checkId', 'in', checkIds)
    .returning('checkId')
    .execute()
  return rows.map(({ checkId }) => checkId)
}

/** Of the account's checks, or of one of them, with their names. */
export function listOverdueChecks(
  db: Kysely<Schema>,
  accountId: string,
  checkId?: string,
): Promise<(OverdueRow & Pick<Schema['checks'], 'name' | 'createdAt'>)[]> {
  let query = db
    .selectFrom('overdueChecks')
    .innerJoin('checks', 'checks.id', 'overdueChecks.checkId')
    .selectAll('overdueChecks')
    .select(['checks.name', 'checks.createdAt'])
    .where('overdueChecks.accountId', '=', accountId)
  if (checkId !== undefined) query = query.where('overdueChecks.checkId', '=', checkId)
  return query.orderBy('checks.createdAt', 'desc').orderBy('checks.id').execute()
}
