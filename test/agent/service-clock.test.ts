import { expect, test } from 'vitest'
import { ServiceClock } from '../../src/agent/service-clock.ts'

/** A machine whose wall clock and monotonic clock a test sets. */
function machine() {
  const local = { wall: 1_000_000, monotonic: 50 }
  const clock = new ServiceClock({ now: () => local.wall, monotonicMs: () => local.monotonic })
  return { local, clock }
}

test('follows the wall clock until the service has answered', () => {
  const { clock } = machine()
  expect(clock.now()).toBe(1_000_000)
})

test('takes the time of the service from its answers', () => {
  const { clock, local } = machine()
  clock.observe(9_000_000)
  local.monotonic += 250
  expect(clock.now()).toBe(9_000_250)
  expect(clock.toMonotonicMs(9_000_250)).toBe(local.monotonic)
})

test('is not moved by a jump of the wall clock', () => {
  const { clock, local } = machine()
  clock.observe(9_000_000)
  local.wall += 3_600_000
  expect(clock.now()).toBe(9_000_000)
})

test('trusts the answer that came fastest', () => {
  const { clock, local } = machine()
  clock.observe(9_000_000)
  local.monotonic += 1000
  clock.observe(9_000_400)
  expect(clock.now()).toBe(9_001_000)
})

test('follows the service when its clock was set back', () => {
  const { clock, local } = machine()
  clock.observe(9_000_000)
  for (let answers = 0; answers < 8; answers += 1) clock.observe(8_000_000)
  expect(clock.now()).toBe(8_000_000)
  expect(local.monotonic).toBe(50)
})
