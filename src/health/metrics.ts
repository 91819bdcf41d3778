import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What is read at the time of a scrape. */
export interface MetricSources {
  readonly queueRunning: () => number
  readonly queueSlow: () => number
  readonly queueWaiting: () => number
  readonly outboxRecords: () => number
  readonly outboxOldestAgeSeconds: () => number
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
  resultsDropped(reason: string, records: number): void
  pollFailed(): void
  close(): void
}

const prefix = 'picket_'
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30]
const latenessBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30]
const nanosecondsASecond = 1e9

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
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
  const pollFailures = new Counter({
    name: `${prefix}poll_failures_total`,
    help: 'Failed polls for runs',
    registers,
  })

  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    runFinished: ({ type, verdict, durationSeconds, latenessSeconds }) => {
      runs.inc({ type, verdict })
      duration.observe(durationSeconds)
      lateness.observe(latenessSeconds)
    },
    resultsDropped: (reason, records) => dropped.inc({ reason }, records),
    pollFailed: () => pollFailures.inc(),
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
