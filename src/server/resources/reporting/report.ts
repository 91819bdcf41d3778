import type { Kysely } from 'kysely'
import type { ReportEntry, ReportQuery } from '../../../contract/resources/reporting.ts'
import type { Tally } from '../../../rules/rollup.ts'
import { quickRange, type Range } from '../../../rules/rollup-ranges.ts'
import { dayMs } from '../../../rules/rollup-time.ts'
import {
  listReportedChecks,
  type ReportedCheck,
  type ReportFilter,
} from '../../../storage/reported-checks.ts'
import type { Schema } from '../../../storage/schema.ts'
import { availabilities } from '../../figures/availabilities.ts'
import { tallyChecks } from '../../figures/tally-checks.ts'
import { windowOf } from '../../http/time-window.ts'

const checksAtOnce = 500

function rangeOf(query: ReportQuery, now: number): Range {
  if (query.from !== undefined || query.to !== undefined) return windowOf(query, now, dayMs)
  return quickRange(query.quickRange === 'last24Hrs' ? 'last24Hours' : query.quickRange, now)
}

function filterOf(query: ReportQuery): ReportFilter {
  const { deactivated = null } = query
  const anyTag = [...(query.filterByTags ?? []), ...(query['filterByTags[]'] ?? [])]
  return { anyTag, ...(deactivated !== null && { activated: deactivated ? 0 : 1 }) }
}

interface Facts {
  readonly availability: number | null
  readonly tally: Tally | undefined
}

function toEntry(check: ReportedCheck, { availability: successRatio, tally }: Facts): ReportEntry {
  const sketch = tally?.sketch('total')
  return {
    name: check.name,
    checkId: check.id,
    checkType: check.type,
    deactivated: check.activated === 0,
    tags: [...check.tags],
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
  const filter = filterOf(query)
  const report: ReportEntry[] = []
  let after: ReportedCheck | undefined
  for (;;) {
    const checks = await listReportedChecks(db, accountId, filter, { after, limit: checksAtOnce })
    const checkIds = checks.map(({ id }) => id)
    const tallies = await tallyChecks(db, { accountId, checkIds, range, measures: ['total'] })
    const availabilityOf = await availabilities(db, checks, { range, tallies })
    report.push(
      ...checks.map((check) =>
        toEntry(check, { availability: availabilityOf(check), tally: tallies.get(check.id) }),
      ),
    )
    after = checks.at(-1)
    if (checks.length < checksAtOnce) return report
  }
}
