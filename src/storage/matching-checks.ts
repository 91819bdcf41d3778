import type { ExpressionBuilder, Kysely } from 'kysely'
import { notFolded } from './check-statuses.ts'
import type { Schema } from './schema.ts'
import type { Flag } from './tables/flag.ts'
import { containsText } from './text-search.ts'

export interface CheckFilter {
  /** Empty lists ask for nothing. */
  readonly types?: readonly string[]
  /** All of them. */
  readonly tags?: readonly string[]
  /** A part of the name, in any case of letters. */
  readonly search?: string
  /** A part of the URL, in any case of letters. */
  readonly urlPattern?: string
  /** A check without a result has none of these. */
  readonly status?: 'passing' | 'failing' | 'degraded'
}

/** The account's checks that meet the whole filter. */
export function matchingChecks(db: Kysely<Schema>, accountId: string, filter: CheckFilter) {
  const { types = [], tags = [], search, urlPattern, status } = filter
  let query = db.selectFrom('checks').where('checks.accountId', '=', accountId)
  if (types.length > 0) query = query.where('checks.type', 'in', types)
  for (const tag of new Set(tags)) query = query.where('checks.id', 'in', (eb) => withTag(eb, tag))
  if (search) query = query.where(containsText('checks.name', search))
  if (urlPattern) query = query.where(containsText('checks.url', urlPattern))
  if (status) query = query.where((eb) => eb.exists(withStatus(eb, status)))
  return query
}

type Checks = ExpressionBuilder<Schema, 'checks'>

/** A list, not a condition for each check in turn: the few with the tag are found by its index. */
function withTag(eb: Checks, tag: string) {
  return eb.selectFrom('checkTags').select('checkTags.checkId').where('checkTags.tag', '=', tag)
}

const flags: Readonly<
  Record<NonNullable<CheckFilter['status']>, { hasFailures: Flag; isDegraded: readonly Flag[] }>
> = {
  passing: { hasFailures: 0, isDegraded: [0] },
  degraded: { hasFailures: 0, isDegraded: [1] },
  failing: { hasFailures: 1, isDegraded: [0, 1] },
}

function withStatus(eb: Checks, status: NonNullable<CheckFilter['status']>) {
  const { hasFailures, isDegraded } = flags[status]
  return eb
    .selectFrom('checkStatuses')
    .select('checkStatuses.checkId')
    .whereRef('checkStatuses.checkId', '=', 'checks.id')
    .where('checkStatuses.status', '<>', notFolded)
    .where('checkStatuses.hasFailures', '=', hasFailures)
    .where('checkStatuses.isDegraded', 'in', isDegraded)
}
