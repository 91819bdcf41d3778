import { expect, test } from 'vitest'
import { AppError } from '../../src/lib/app-error.ts'
import { loop } from '../../src/lib/loop.ts'

const fast = { baseMs: 1, maxMs: 2 }

test('a failing turn is reported and tried again', async () => {
  const stop = new AbortController()
  const errors: unknown[] = []
  let turns = 0
  await loop({
    turn: async () => {
      turns += 1
      if (turns === 3) stop.abort()
      else throw new Error(`turn ${turns}`)
      return 0
    },
    onError: (error) => errors.push(error),
    signal: stop.signal,
    backoff: fast,
  })
  expect(errors).toMatchObject([{ message: 'turn 1' }, { message: 'turn 2' }])
})

test('a fatal error ends it', async () => {
  const fatal = new AppError('X', 'it is over', { fatal: true })
  const turning = loop({
    turn: async () => {
      throw fatal
    },
    onError: () => {},
    signal: new AbortController().signal,
    backoff: fast,
  })
  await expect(turning).rejects.toBe(fatal)
})

test('its waits end at once when it is told to stop', async () => {
  const stop = new AbortController()
  const turning = loop({
    turn: async () => {
      queueMicrotask(() => stop.abort())
      return 3_600_000
    },
    onError: () => {},
    signal: stop.signal,
  })
  await turning
  expect(stop.signal.aborted).toBe(true)
})
