import type { Aggregation } from '../../../contract/resources/analytics.ts'
import type { MeasureName } from '../../../rules/measures.ts'
import type { Tally } from '../../../rules/rollup.ts'
import type { Sketch } from '../../../rules/rollup-sketch.ts'
import type { Metric } from './metric-table.ts'

const aggregate: Readonly<Record<Aggregation, (sketch: Sketch) => number | null>> = {
  avg: (sketch) => sketch.average(),
  max: (sketch) => sketch.max(),
  median: (sketch) => sketch.quantile(0.5),
  min: (sketch) => sketch.min(),
  p50: (sketch) => sketch.quantile(0.5),
  p90: (sketch) => sketch.quantile(0.9),
  p95: (sketch) => sketch.quantile(0.95),
  p99: (sketch) => sketch.quantile(0.99),
  stddev: (sketch) => sketch.standardDeviation(),
  sum: (sketch) => sketch.sum(),
}

/** Null when no result says anything of it. A single value is that of a tally of one result. */
export function metricValue(metric: Metric, tally: Tally): number | null {
  switch (metric.kind) {
    case 'availability':
      return tally.availability()
    case 'retries':
      return tally.results === 0 ? null : tally.retries
    case 'single':
      return measured(tally, metric.measure, 'sum')
    case 'aggregated':
      return measured(tally, metric.measure, metric.aggregation)
  }
}

function measured(tally: Tally, measure: MeasureName | null, aggregation: Aggregation): number | null {
  const sketch = measure === null ? undefined : tally.sketch(measure)
  return sketch ? aggregate[aggregation](sketch) : null
}

/** The measures that these metrics are made of. */
export function measuresOfMetrics(metrics: readonly Metric[]): MeasureName[] {
  const measures = metrics.flatMap((metric) =>
    'measure' in metric && metric.measure ? [metric.measure] : [],
  )
  return [...new Set(measures)]
}
