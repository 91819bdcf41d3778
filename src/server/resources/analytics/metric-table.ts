import type { CheckTypeName } from '../../../contract/check-types.ts'
import {
  type Aggregation,
  aggregations,
  type MetricFacts,
  type Unit,
} from '../../../contract/resources/analytics.ts'
import type { MeasureName } from '../../../rules/measures.ts'

/** A metric of its own, of which there are aggregated ones: `responseTime` and `responseTime_p95`. */
interface Base {
  readonly name: string
  /** What results measure for it; null where none does. */
  readonly measure: MeasureName | null
  readonly unit: Unit
  readonly label: string
}

const timing = (name: string, measure: MeasureName | null, label: string): Base => ({
  name,
  measure,
  unit: 'milliseconds',
  label,
})
const counted = (name: string, label: string): Base => ({ name, measure: null, unit: 'count', label })

const responseTime = timing('responseTime', 'total', 'Response time')
const total = timing('total', 'total', 'Total time')

const http: readonly Base[] = [
  responseTime,
  timing('wait', 'wait', 'Wait'),
  timing('dns', 'dns', 'DNS lookup'),
  timing('tcp', 'connect', 'TCP connection'),
  timing('firstByte', 'firstByte', 'Time to first byte'),
  timing('download', 'download', 'Download'),
]

const browser: readonly Base[] = [
  timing('responseTime', 'total', 'Response time of the whole script'),
  timing('TTFB', null, 'Time To First Byte'),
  timing('FCP', null, 'First Contentful Paint'),
  timing('LCP', null, 'Largest Contentful Paint'),
  { name: 'CLS', measure: null, unit: 'score', label: 'Cumulative Layout Shift' },
  timing('TBT', null, 'Total Blocking Time'),
  counted('consoleErrors', 'Console errors'),
  counted('networkErrors', 'Network errors'),
  counted('userScriptErrors', 'User script errors'),
  counted('documentErrors', 'Document errors'),
]

/** What there is to ask of each type beside availability and retries. */
const bases: Readonly<Record<CheckTypeName, readonly Base[]>> = {
  AGENTIC: [],
  API: http,
  BROWSER: browser,
  DNS: [total],
  HEARTBEAT: [],
  ICMP: [
    { name: 'packetLoss', measure: 'packetLoss', unit: 'percentage', label: 'Packet loss' },
    timing('latencyMin', 'latencyMin', 'Lowest latency'),
    timing('latencyMax', 'latencyMax', 'Highest latency'),
    timing('latencyAvg', 'latencyAvg', 'Average latency'),
    timing('latencyStdDev', 'latencyStdDev', 'Standard deviation of latency'),
  ],
  MULTI_STEP: [responseTime],
  // Existing clients ask these for the metrics of browser checks, too.
  PLAYWRIGHT: browser,
  TCP: [
    total,
    timing('dns', 'dns', 'DNS lookup'),
    timing('connection', 'connect', 'Connection'),
    timing('data', 'data', 'Data'),
  ],
  URL: http,
}

export type Metric =
  | { readonly kind: 'availability' | 'retries'; readonly name: string; readonly facts: MetricFacts }
  /** The value of each single result. */
  | {
      readonly kind: 'single'
      readonly name: string
      readonly measure: MeasureName | null
      readonly facts: MetricFacts
    }
  | {
      readonly kind: 'aggregated'
      readonly name: string
      readonly measure: MeasureName | null
      readonly aggregation: Aggregation
      readonly facts: MetricFacts
    }

const always: readonly Metric[] = [
  {
    kind: 'availability',
    name: 'availability',
    facts: { unit: 'percentage', label: 'Availability' },
  },
  { kind: 'retries', name: 'retries', facts: { unit: 'count', label: 'Retries' } },
]

const single = ({ name, measure, unit, label }: Base): Metric => ({
  kind: 'single',
  name,
  measure,
  facts: { unit, label },
})

const aggregated = ({ name, measure, unit, label }: Base): Metric[] =>
  aggregations.map((aggregation) => ({
    kind: 'aggregated',
    name: `${name}_${aggregation}`,
    measure,
    aggregation,
    facts: { unit, label, aggregation },
  }))

/** Every metric of a type of check, in the order of the contract, which knows no times of heartbeats: those are ours. */
export function metricsOf(type: CheckTypeName): Metric[] {
  if (type === 'HEARTBEAT') return [...always, ...aggregated(responseTime)]
  return [...bases[type].map(single), ...always, ...bases[type].flatMap(aggregated)]
}
