import { expect, test, vi } from 'vitest'
import { HeldRuns } from '../../src/agent/held-runs.ts'
import { RunQueue } from '../../src/agent/queue.ts'
import { freeSlots } from '../../src/agent/scheduler.ts'
import { dueRun } from '../support/due-run.ts'

const { signal } = new AbortController()
const forever = () => new Promise<never>(() => {})

test('an agent takes four runs for each slot, those that wait for a retry not counted', () => {
  const queue = new RunQueue(10)
  const held = new HeldRuns()
  expect(freeSlots({ queue, held })).toBe(40)
  const runs = Array.from({ length: 15 }, () => held.hold(dueRun()))
  expect(freeSlots({ queue, held })).toBe(25)
  for (const run of runs.slice(0, 5)) if (run) run.phase = 'retrying'
  expect(freeSlots({ queue, held })).toBe(30)
})

test('whoever waits for room is told when a run is forgotten, waits for its retry or for a slow target', async () => {
  const onRoom = vi.fn<() => void>()
  const held = new HeldRuns(onRoom)
  const [one, other] = [held.hold(dueRun()), held.hold(dueRun())]
  if (!one || !other) throw new Error('not held')
  held.forget(one.run.id)
  expect(onRoom).toHaveBeenCalledTimes(1)
  held.awaitRetry(other)
  expect(onRoom).toHaveBeenCalledTimes(2)
  void new RunQueue(1, onRoom).run(forever, signal)
  await vi.waitFor(() => expect(onRoom).toHaveBeenCalledTimes(3))
})

test('an agent takes no more runs while due ones wait for its slots', () => {
  const queue = new RunQueue(4)
  const held = new HeldRuns()
  for (let count = 0; count < 6; count += 1) void queue.run(forever, signal)
  expect(freeSlots({ queue, held })).toBe(16)
  void queue.run(forever, signal)
  expect(queue).toMatchObject({ running: 4, waiting: 3 })
  expect(freeSlots({ queue, held })).toBe(0)
})

test('an agent never asks for more than the service gives at once', () => {
  expect(freeSlots({ queue: new RunQueue(10_000), held: new HeldRuns() })).toBe(1000)
})
