import type { Kysely } from 'kysely'
import type { Status } from '../../../rules/status.ts'
import { type BadgeSubject, badgeStatuses, responseTimesOf } from '../../../storage/badge-statuses.ts'
import type { Schema } from '../../../storage/schema.ts'

export interface BadgeState {
  readonly state: 'passing' | 'degraded' | 'failing' | 'unknown'
  /** Of the newest result; of a group the mean over its checks. */
  readonly responseTimeMs: number | null
}

/**
 * The worst state of the subject's checks. What does not exist is unknown, like what never ran or is not active: a badge
 * tells nobody which ids there are.
 */
export async function findState(
  db: Kysely<Schema>,
  subject: BadgeSubject,
  withResponseTime: boolean,
): Promise<BadgeState> {
  // Written by the fold of rules/status and by nothing else.
  const statuses = (await badgeStatuses(db, subject)).map((status) => JSON.parse(status) as Status)
  const times = withResponseTime ? await responseTimesOf(db, statuses.flatMap(newestResult)) : []
  const sum = times.reduce((total, time) => total + time, 0)
  return { state: worst(statuses), responseTimeMs: times.length > 0 ? Math.round(sum / times.length) : null }
}

const newestResult = ({ latest }: Status) => (latest ? [latest.resultId] : [])

function worst(statuses: readonly Status[]): BadgeState['state'] {
  if (statuses.length === 0) return 'unknown'
  if (statuses.some(({ hasFailures }) => hasFailures)) return 'failing'
  return statuses.some(({ isDegraded }) => isDegraded) ? 'degraded' : 'passing'
}
