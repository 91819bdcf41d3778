import { AppError } from './app-error.ts'
import { backoffMs } from './backoff.ts'
import { sleep } from './sleep.ts'

export interface LoopOptions {
  /** One turn. Returns the milliseconds to wait before the next; 0 goes on at once. */
  readonly turn: (signal: AbortSignal) => Promise<number>
  readonly onError: (error: unknown, retryInMs: number) => void
  readonly signal: AbortSignal
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number }
  readonly random?: () => number
}

/**
 * Turns until the signal ends it. An error is reported and tried again with back-off and jitter; a fatal AppError
 * ends the loop.
 */
export async function loop(options: LoopOptions): Promise<void> {
  const { turn, onError, signal, backoff = { baseMs: 500, maxMs: 30_000 }, random = Math.random } = options
  let failures = 0
  while (!signal.aborted) {
    try {
      const waitMs = await turn(signal)
      failures = 0
      if (waitMs > 0) await sleep(waitMs, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof AppError && error.fatal) throw error
      failures += 1
      const retryInMs = backoffMs(failures, backoff.baseMs, backoff.maxMs, random)
      onError(error, retryInMs)
      await sleep(retryInMs, signal)
    }
  }
}
