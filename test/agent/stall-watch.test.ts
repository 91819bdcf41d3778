import { expect, onTestFinished, test } from 'vitest'
import { StallWatch } from '../../src/agent/stall-watch.ts'

function watch() {
  const time = { ms: 0 }
  const stalls = new StallWatch(() => time.ms)
  onTestFinished(() => stalls.close())
  return { time, stalls }
}

test('notices a loop that stood still, before its own timer could run', () => {
  const { time, stalls } = watch()
  time.ms = 1500
  expect(stalls.stalledSince(0)).toBe(true)
  expect(stalls.stalledSince(1501)).toBe(false)
})

test('does not call a busy loop a stalled one', () => {
  const { time, stalls } = watch()
  for (time.ms = 0; time.ms <= 10_000; time.ms += 900) expect(stalls.stalledSince(0)).toBe(false)
})
