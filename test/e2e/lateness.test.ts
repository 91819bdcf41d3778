import { expect, onTestFinished, test, vi } from 'vitest'
import { apiCheckBody } from '../support/api-checks.ts'
import { startCountingTarget } from '../support/counting-target.ts'
import { startUp, temporaryDataDir } from '../support/up.ts'

const metric = (text: string, name: string) =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)

test('200 checks every 10 seconds run on time beside the service and the target', async () => {
  const { dir, remove } = await temporaryDataDir()
  onTestFinished(remove)
  const target = await startCountingTarget()
  onTestFinished(target.stop)
  const up = await startUp(dir, { PICKET_RATE_LIMIT: '100000' })
  onTestFinished(async () => void (await up.stop()))
  await Promise.all(
    Array.from({ length: 200 }, (_, n) => {
      const request = { method: 'GET', url: `${target.url}/${n}` }
      return up.post('/v1/checks/api', apiCheckBody({ name: `check ${n}`, request }))
    }),
  )
  await vi.waitFor(
    () => {
      const counts = Map.groupBy(target.visits, ({ path }) => path)
      expect(counts.size).toBe(200)
      for (const visits of counts.values()) expect(visits.length).toBeGreaterThanOrEqual(3)
    },
    { timeout: 55_000, interval: 500 },
  )
  for (const visits of Map.groupBy(target.visits, ({ path }) => path).values()) {
    const [first, second, third] = visits.map(({ at }) => at)
    for (const gap of [(second ?? 0) - (first ?? 0), (third ?? 0) - (second ?? 0)]) {
      expect(Math.abs(gap - 10_000)).toBeLessThan(1000)
    }
  }
  const metrics = await (await fetch(`${up.healthUrl}/metrics`)).text()
  const count = metric(metrics, 'picket_run_lateness_seconds_count')
  expect(count).toBeGreaterThanOrEqual(600)
  expect(metric(metrics, 'picket_run_lateness_seconds_sum') / count).toBeLessThan(0.1)
})
