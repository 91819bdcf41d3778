import type { Kysely } from 'kysely'
import { batchesOf } from './batches.ts'
import { notFolded } from './check-statuses.ts'
import type { Schema } from './schema.ts'

/** A check of any account, or the checks of a group of any account. */
export type BadgeSubject = { readonly checkId: string } | { readonly groupId: number }

/** A group may be larger: no badge needs more of it. */
const mostChecks = 1000

/** The folds (check-statuses) of those of the checks that are active and have a result. */
export async function badgeStatuses(db: Kysely<Schema>, subject: BadgeSubject): Promise<string[]> {
  const active = db
    .selectFrom('checks')
    .innerJoin('checkStatuses', 'checkStatuses.checkId', 'checks.id')
    .select('checkStatuses.status')
    .where('checks.activated', '=', 1)
    .where('checkStatuses.status', '<>', notFolded)
  const rows = await ('checkId' in subject
    ? active.where('checks.id', '=', subject.checkId)
    : active.where('checks.groupId', '=', subject.groupId).orderBy('checks.id').limit(mostChecks)
  ).execute()
  return rows.map(({ status }) => status)
}

/** In milliseconds; results without one are left out. */
export async function responseTimesOf(db: Kysely<Schema>, resultIds: readonly string[]): Promise<number[]> {
  const times: (number | null)[] = []
  for (const batch of batchesOf(resultIds)) {
    const rows = await db
      .selectFrom('checkResults')
      .select('responseTimeMs')
      .where('id', 'in', batch)
      .execute()
    times.push(...rows.map(({ responseTimeMs }) => responseTimeMs))
  }
  return times.filter((time) => time !== null)
}
