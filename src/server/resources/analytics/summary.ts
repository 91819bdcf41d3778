import type { Kysely } from 'kysely'
import { type CheckTypeName, checkTypeNames } from '../../../contract/check-types.ts'
import type { QuickRange, Summary } from '../../../contract/resources/analytics.ts'
import type { MeasureName } from '../../../rules/measures.ts'
import { Tally } from '../../../rules/rollup.ts'
import { quickRange, type Range } from '../../../rules/rollup-ranges.ts'
import { findChecksByIds } from '../../../storage/checks.ts'
import type { Schema } from '../../../storage/schema.ts'
import { heartbeatAvailability, heartbeatFigure } from '../../figures/heartbeat-figures.ts'
import { tallyChecks } from '../../figures/tally-checks.ts'
import { metricsOf } from './metric-table.ts'

/** Fields of a summary by the measure that they are made of. */
const fields = [
  ['responseTime', 'total', ['avg', 'p50', 'p95', 'p99']],
  ['latency', 'latencyAvg', ['avg', 'p50', 'p95', 'p99']],
  ['packetLoss', 'packetLoss', ['avg', 'p95', 'p99']],
] as const

const measuresOfType = (type: CheckTypeName): MeasureName[] =>
  metricsOf(type).flatMap((metric) => (metric.kind === 'single' && metric.measure ? [metric.measure] : []))

function summaryOf(id: string, type: CheckTypeName, tally: Tally): Summary {
  const applying = new Set(measuresOfType(type))
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
  return { checkId: id, checkType: type, availability: tally.availability(), ...Object.fromEntries(values) }
}

/** Of its pings, which are no results. */
async function heartbeatSummary(db: Kysely<Schema>, summary: Summary, range: Range): Promise<Summary> {
  const figure = await heartbeatFigure(db, summary.checkId, range)
  return { ...summary, availability: heartbeatAvailability(figure) }
}

/** In the order of `checkIds`, each once; what the account does not have is left out. */
export async function summariesOf(
  db: Kysely<Schema>,
  accountId: string,
  {
    checkIds,
    range,
    now,
  }: { readonly checkIds: readonly string[]; readonly range: QuickRange; readonly now: number },
): Promise<Summary[]> {
  const rows = await findChecksByIds(db, [...new Set(checkIds)])
  const own = new Map(rows.filter((row) => row.accountId === accountId).map((row) => [row.id, row.type]))
  const ids = [...own.keys()]
  const measures = ['total', 'latencyAvg', 'packetLoss'] as const
  const tallies = await tallyChecks(db, { accountId, checkIds: ids, range: quickRange(range, now), measures })
  const summaries = [...new Set(checkIds)].flatMap((id) => {
    const type = checkTypeNames.find((name) => name === own.get(id))
    return type ? [summaryOf(id, type, tallies.get(id) ?? new Tally())] : []
  })
  const told: Summary[] = []
  for (const summary of summaries) {
    const heartbeat = summary.checkType === 'HEARTBEAT'
    told.push(heartbeat ? await heartbeatSummary(db, summary, quickRange(range, now)) : summary)
  }
  return told
}
