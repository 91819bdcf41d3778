import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { ProbeMetrics, type ProbeMetricsOptions } from './probe-metrics.ts'

/** What is read at the time of a scrape. */
interface MetricSources {
  readonly queueRunning: () => number
  readonly queueSlow: () => number
  readonly queueWaiting: () => number
  readonly outboxRecords: () => number
  readonly outboxOldestAgeSeconds: () => number
  readonly awaySeconds: () => number
  readonly pingsUnsent: () => number
}

export interface MetricsOptions extends MetricSources {
  /** Null where checks have no metrics of their own. */
  readonly probes: ProbeMetricsOptions | null
}

export interface FinishedRun {
  /** Of the check. */
  readonly type: string
  /** passing, degraded, failing, missed or errored. */
  readonly verdict: string
  readonly durationSeconds: number
  /** From when it was due to its start. */
  readonly latenessSeconds: number
}

/** The agent's metrics, in a registry of their own. */
export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
  runFinished(run: FinishedRun): void
  /** Null where checks have no metrics of their own. */
  readonly probes: Pick<ProbeMetrics, 'take'> | null
  resultsDropped(reason: string, records: number): void
  pollFailed(): void
  /** A ping is on the disk. */
  pingTaken(): void
  pingsForwarded(pings: number): void
  pingsDropped(reason: string, pings: number): void
  /** By the agent itself, away from the service. */
  runsPlanned(runs: number): void
  close(): void
}

const prefix = 'picket_'
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30]
const latenessBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30]
const nanosecondsASecond = 1e9

export function createMetrics(sources: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const probes = sources.probes && new ProbeMetrics(sources.probes)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  collectDefaultMetrics({ register: registry })

  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: prefix + name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('queue_running', 'Checks that run now', sources.queueRunning)
  gauge('queue_slow', 'Checks among them that wait for a slow target and take no slot', sources.queueSlow)
  gauge('queue_waiting', 'Due checks that wait for a slot', sources.queueWaiting)
  gauge('outbox_records', 'Results that were not sent yet', sources.outboxRecords)
  gauge('outbox_oldest_age_seconds', 'Age of the oldest unsent result', sources.outboxOldestAgeSeconds)
  gauge('away_seconds', 'Time for which the service cannot be reached', sources.awaySeconds)
  gauge('pings_unsent', 'Pings that were taken here and not forwarded yet', sources.pingsUnsent)
  loopLag(registers, delay)

  const runs = new Counter({
    name: `${prefix}runs_total`,
    help: 'Attempts by check type and verdict',
    labelNames: ['type', 'verdict'],
    registers,
  })
  const duration = new Histogram({
    name: `${prefix}run_duration_seconds`,
    help: 'Time from the start of an attempt to its end',
    buckets: durationBuckets,
    registers,
  })
  const lateness = new Histogram({
    name: `${prefix}run_lateness_seconds`,
    help: 'Time from when an attempt was due to its start',
    buckets: latenessBuckets,
    registers,
  })
  const dropped = new Counter({
    name: `${prefix}outbox_dropped_total`,
    help: 'Results dropped unsent, by what was exceeded',
    labelNames: ['reason'],
    registers,
  })
  const ownRuns = new Counter({
    name: `${prefix}own_runs_total`,
    help: 'Runs that the agent planned by itself, away from the service',
    registers,
  })
  const pollFailures = new Counter({
    name: `${prefix}poll_failures_total`,
    help: 'Failed polls for runs',
    registers,
  })

  const pingsTaken = new Counter({
    name: `${prefix}pings_taken_total`,
    help: 'Pings that were taken here for the service',
    registers,
  })
  const pingsForwarded = new Counter({
    name: `${prefix}pings_forwarded_total`,
    help: 'Pings among them that the service has',
    registers,
  })
  const pingsDropped = new Counter({
    name: `${prefix}pings_dropped_total`,
    help: 'Pings among them that it does not have, by why',
    labelNames: ['reason'],
    registers,
  })

  return {
    contentType: registry.contentType,
    probes,
    text: async () => (await registry.metrics()) + ((await probes?.text()) ?? ''),
    runFinished: ({ type, verdict, durationSeconds, latenessSeconds }) => {
      runs.inc({ type, verdict })
      duration.observe(durationSeconds)
      lateness.observe(latenessSeconds)
    },
    resultsDropped: (reason, records) => dropped.inc({ reason }, records),
    pollFailed: () => pollFailures.inc(),
    pingTaken: () => pingsTaken.inc(),
    pingsForwarded: (pings) => pingsForwarded.inc(pings),
    pingsDropped: (reason, pings) => pingsDropped.inc({ reason }, pings),
    runsPlanned: (runs) => ownRuns.inc(runs),
    close: () => {
      delay.disable()
      registry.clear()
    },
  }
}

/** Each reading begins a new measurement. */
function loopLag(registers: Registry[], delay: ReturnType<typeof monitorEventLoopDelay>): void {
  new Gauge({
    name: `${prefix}event_loop_lag_seconds`,
    help: 'Delay of the event loop since the last reading',
    labelNames: ['quantile'],
    registers,
    collect() {
      for (const percent of [50, 99, 100]) {
        this.set({ quantile: String(percent / 100) }, delay.percentile(percent) / nanosecondsASecond)
      }
      delay.reset()
    },
  })
}
