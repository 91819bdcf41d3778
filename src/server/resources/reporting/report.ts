import type { Kysely } from 'kysely'
import type { ReportEntry, ReportQuery } from '../../../contract/resources/reporting.ts'
import type { Tally } from '../../../rules/rollup.ts'
import { quickRange, type Range } from '../../../rules/rollup-ranges.ts'
import { dayMs } from '../../../rules/rollup-time.ts'
import { listChecks } from '../../../storage/checks.ts'
import type { Schema } from '../../../storage/schema.ts'
import { tallyChecks } from '../../figures/tally-checks.ts'
import { windowOf } from '../../http/time-window.ts'
import { anyCheckOf } from '../../stored/stored-check.ts'

type CheckRow = Schema['checks']

const checksAtOnce = 500

function rangeOf(query: ReportQuery, now: number): Range {
  if (query.from !== undefined || query.to !== undefined) return windowOf(query, now, dayMs)
  return quickRange(query.quickRange === 'last24Hrs' ? 'last24Hours' : query.quickRange, now)
}

/** Every check of the account, newest first. */
async function allChecks(db: Kysely<Schema>, accountId: string): Promise<CheckRow[]> {
  const checks: CheckRow[] = []
  for (;;) {
    const page = { offset: checks.length, limit: checksAtOnce }
    const { rows } = await listChecks(db, accountId, {}, page)
    checks.push(...rows)
    if (rows.length < checksAtOnce) return checks
  }
}

/** Does the query ask for this check? One of the tags is enough. */
function isAsked(check: CheckRow, query: ReportQuery): boolean {
  const { deactivated = null } = query
  if (deactivated !== null && deactivated !== (check.activated === 0)) return false
  const asked = [...(query.filterByTags ?? []), ...(query['filterByTags[]'] ?? [])]
  return asked.length === 0 || anyCheckOf(check).tags.some((tag) => asked.includes(tag))
}

function toEntry(check: CheckRow, tally: Tally | undefined): ReportEntry {
  const successRatio = tally?.availability() ?? null
  const sketch = tally?.sketch('total')
  return {
    name: check.name,
    checkId: check.id,
    checkType: check.type,
    deactivated: check.activated === 0,
    tags: anyCheckOf(check).tags,
    ...(successRatio !== null && {
      aggregate: {
        successRatio,
        avg: sketch?.average() ?? 0,
        p95: sketch?.quantile(0.95) ?? 0,
        p99: sketch?.quantile(0.99) ?? 0,
      },
    }),
  }
}

/** @throws ApiError 400 when the range is none */
export async function reportOf(
  db: Kysely<Schema>,
  accountId: string,
  query: ReportQuery,
  now: number,
): Promise<ReportEntry[]> {
  const range = rangeOf(query, now)
  const checks = (await allChecks(db, accountId)).filter((check) => isAsked(check, query))
  const checkIds = checks.map(({ id }) => id)
  const tallies = await tallyChecks(db, { accountId, checkIds, range, measures: ['total'] })
  return checks.map((check) => toEntry(check, tallies.get(check.id)))
}
