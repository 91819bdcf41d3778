import { expect, onTestFinished, test } from 'vitest'
import { createMetrics } from '../../src/health/metrics.ts'

function setUp() {
  const metrics = createMetrics({
    queueRunning: () => 3,
    queueSlow: () => 1,
    queueWaiting: () => 4,
    outboxRecords: () => 5,
    outboxOldestAgeSeconds: () => 6.5,
    awaySeconds: () => 8,
    pingsUnsent: () => 9,
    probes: null,
  })
  onTestFinished(() => metrics.close())
  return metrics
}

test('the metrics tell how full the agent is at the time of the reading', async () => {
  const text = await setUp().text()
  expect(text).toContain('picket_queue_running 3')
  expect(text).toContain('picket_queue_waiting 4')
  expect(text).toContain('picket_outbox_records 5')
  expect(text).toContain('picket_outbox_oldest_age_seconds 6.5')
  expect(text).toContain('picket_away_seconds 8')
  expect(text).toContain('process_cpu_seconds_total')
  expect(text).toMatch(/picket_event_loop_lag_seconds\{quantile="0.99"\} [\d.e-]+/)
})

test('the metrics count runs, drops and failed polls', async () => {
  const metrics = setUp()
  metrics.runFinished({ type: 'API', verdict: 'failing', durationSeconds: 0.2, latenessSeconds: 0.0015 })
  metrics.resultsDropped('age', 7)
  metrics.pollFailed()
  metrics.runsPlanned(9)
  const text = await metrics.text()
  expect(text).toContain('picket_runs_total{type="API",verdict="failing"} 1')
  expect(text).toContain('picket_run_duration_seconds_bucket{le="0.25"} 1')
  expect(text).toContain('picket_run_duration_seconds_bucket{le="0.1"} 0')
  expect(text).toContain('picket_run_lateness_seconds_bucket{le="0.002"} 1')
  expect(text).toContain('picket_outbox_dropped_total{reason="age"} 7')
  expect(text).toContain('picket_poll_failures_total 1')
})

test('two agents of one process do not share their metrics', async () => {
  const [one, other] = [setUp(), setUp()]
  one.pollFailed()
  expect(await other.text()).toContain('picket_poll_failures_total 0')
})
