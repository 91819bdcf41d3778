import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createMetrics } from '../../src/health/metrics.ts'
import type { ProbeReading } from '../../src/health/probe-metrics.ts'
import { manualClock } from '../support/manual-clock.ts'

function setUp() {
  const clock = manualClock()
  const onFull = vi.fn<(most: number) => void>()
  const none = () => 0
  const metrics = createMetrics({
    queueRunning: none,
    queueSlow: none,
    queueWaiting: none,
    outboxRecords: none,
    outboxOldestAgeSeconds: none,
    awaySeconds: none,
    pingsUnsent: none,
    probes: { monotonicMs: clock.monotonicMs, onFull },
  })
  onTestFinished(() => metrics.close())
  /** The lines of one gauge. */
  const lines = async (name: string) =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`))
  return {
    clock,
    onFull,
    metrics,
    lines,
    take: (part: Partial<ProbeReading>) => metrics.probes?.take(reading(part)),
  }
}

const reading = (part: Partial<ProbeReading>): ProbeReading => ({
  checkId: 'c1',
  checkName: 'Shop "EU"',
  checkType: 'API',
  location: 'eu-west-1',
  samples: [
    { name: 'probe_success', value: 1 },
    { name: 'probe_http_duration_seconds', label: 'connect', value: 0.25 },
  ],
  keepMs: 1000,
  ...part,
})

const ofShop = 'check_id="c1",check_name="Shop \\"EU\\"",check_type="API",location="eu-west-1"'

describe('the metrics of a check', () => {
  test('stand by check and location, each phase by its own label', async () => {
    const { take, lines } = setUp()
    take({})
    take({ checkId: 'c2', checkName: 'Other', samples: [{ name: 'probe_success', value: 0 }] })
    expect(await lines('probe_success')).toEqual([
      `probe_success{${ofShop}} 1`,
      'probe_success{check_id="c2",check_name="Other",check_type="API",location="eu-west-1"} 0',
    ])
    expect(await lines('probe_http_duration_seconds')).toEqual([
      `probe_http_duration_seconds{${ofShop},phase="connect"} 0.25`,
    ])
  })

  test('are in the text format of Prometheus, each under its help and type, whatever the check is called', async () => {
    const { take, metrics } = setUp()
    take({ checkName: 'a\\b\n"c"' })
    const text = await metrics.text()
    expect(text).toContain('check_name="a\\\\b\\n\\"c\\""')
    expect(text.split('\n').filter((line) => line.includes('probe_success'))).toEqual([
      expect.stringMatching(/^# HELP probe_success \S/),
      '# TYPE probe_success gauge',
      expect.stringMatching(/^probe_success\{.+\} 1$/),
    ])
    expect(text.endsWith('\n')).toBe(true)
  })

  test('are those of the last reading alone, also under another name', async () => {
    const { take, lines } = setUp()
    take({})
    take({ checkName: 'Renamed', samples: [{ name: 'probe_success', value: 0 }] })
    expect(await lines('probe_success')).toEqual([
      'probe_success{check_id="c1",check_name="Renamed",check_type="API",location="eu-west-1"} 0',
    ])
    expect(await lines('probe_http_duration_seconds')).toEqual([])
  })

  test('disappear when no reading came for the time that the last one is good for', async () => {
    const { clock, take, lines } = setUp()
    take({})
    clock.ms = 999
    expect(await lines('probe_success')).toHaveLength(1)
    clock.ms = 1000
    expect(await lines('probe_success')).toEqual([])
  })

  test('are shown of 2,000 checks; that there are more is said once, and those that are gone make room', async () => {
    const { clock, onFull, take, lines } = setUp()
    for (let n = 0; n < 2010; n += 1) take({ checkId: `c${n}`, keepMs: n === 0 ? 500 : 1000 })
    expect(await lines('probe_success')).toHaveLength(2000)
    expect(onFull.mock.calls).toEqual([[2000]])
    clock.ms = 600
    take({ checkId: 'late' })
    expect((await lines('probe_success')).at(-1)).toContain('check_id="late"')
  })
})
