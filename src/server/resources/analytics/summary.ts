import type { Kysely } from 'kysely'
import type { CheckTypeName } from '../../../contract/check-types.ts'
import type { QuickRange, Summary } from '../../../contract/resources/analytics.ts'
import type { MeasureName } from '../../../rules/measures.ts'
import { Tally } from '../../../rules/rollup.ts'
import { quickRange } from '../../../rules/rollup-ranges.ts'
import { findChecksByIds } from '../../../storage/checks.ts'
import type { Schema } from '../../../storage/schema.ts'
import { availabilities } from '../../figures/availabilities.ts'
import { tallyChecks } from '../../figures/tally-checks.ts'
import { checkTypeOf } from '../../stored/stored-check.ts'
import { metricsOf } from './metric-table.ts'
import { measuresOfMetrics } from './metric-value.ts'

/** Fields of a summary by the measure that they are made of. */
const fields = [
  ['responseTime', 'total', ['avg', 'p50', 'p95', 'p99']],
  ['latency', 'latencyAvg', ['avg', 'p50', 'p95', 'p99']],
  ['packetLoss', 'packetLoss', ['avg', 'p95', 'p99']],
] as const

/** A heartbeat is timed where it is run. */
function measuresOf(type: CheckTypeName, tally: Tally): ReadonlySet<MeasureName> {
  const measures = measuresOfMetrics(metricsOf(type))
  return new Set(type === 'HEARTBEAT' ? measures.filter((measure) => tally.sketch(measure)) : measures)
}

interface Facts {
  readonly availability: number | null
  readonly tally: Tally
}

function summaryOf(checkId: string, checkType: CheckTypeName, { availability, tally }: Facts): Summary {
  const applying = measuresOf(checkType, tally)
  const values = fields.flatMap(([name, measure, aggregations]) => {
    const sketch = tally.sketch(measure)
    return applying.has(measure)
      ? aggregations.map((aggregation) => [
          `${name}_${aggregation}`,
          aggregation === 'avg'
            ? (sketch?.average() ?? null)
            : (sketch?.quantile(Number(aggregation.slice(1)) / 100) ?? null),
        ])
      : []
  })
  return { checkId, checkType, availability, ...Object.fromEntries(values) }
}

/** In the order of `checkIds`, each once; what the account does not have is left out. */
export async function summariesOf(
  db: Kysely<Schema>,
  accountId: string,
  {
    checkIds,
    range: name,
    now,
  }: { readonly checkIds: readonly string[]; readonly range: QuickRange; readonly now: number },
): Promise<Summary[]> {
  const rows = await findChecksByIds(db, [...new Set(checkIds)])
  const own = new Map(rows.filter((row) => row.accountId === accountId).map((row) => [row.id, row]))
  const range = quickRange(name, now)
  const measures = ['total', 'latencyAvg', 'packetLoss'] as const
  const tallies = await tallyChecks(db, { accountId, checkIds: [...own.keys()], range, measures })
  const availabilityOf = await availabilities(db, [...own.values()], { range, tallies })
  return [...new Set(checkIds)].flatMap((id) => {
    const row = own.get(id)
    if (!row) return []
    const facts = { availability: availabilityOf(row), tally: tallies.get(id) ?? new Tally() }
    return [summaryOf(id, checkTypeOf(row), facts)]
  })
}
