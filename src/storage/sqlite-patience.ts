import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from './unavailable.ts'

const busy = 5
/** SQLite's primary result codes: locked, read-only, I/O error, full, cannot open, locking protocol. */
const troubles: Readonly<Record<number, Parameters<typeof unavailable>[0]>> = {
  [busy]: 'busy',
  6: 'busy',
  8: 'unwritable',
  10: 'unwritable',
  13: 'full',
  14: 'unwritable',
  15: 'busy',
}

const patienceMs = 5000
const tryAgainAfterMs = 20
/** Busy at two moments further apart than this: between them it was free, or nobody asked. */
const sameTroubleMs = 1000

function codeOf(error: unknown): number | null {
  if (!(error instanceof Error && 'errcode' in error)) return null
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null
}

/**
 * Waits while another process holds the file, without keeping this one from anything else. Once that has lasted for
 * five seconds, those who waited behind the first are told at once: a queue never waits five seconds for each of its own.
 */
export class SqlitePatience {
  #busySince: number | null = null
  #busyAt = 0
  #full = false

  /** @throws AppError DATABASE_UNAVAILABLE */
  async carryOut<T>(work: () => T): Promise<T> {
    for (;;) {
      try {
        const done = work()
        this.#busySince = null
        return done
      } catch (error) {
        this.#throwUnlessBusy(error)
      }
      await sleep(tryAgainAfterMs)
    }
  }

  /** Whether there was no room since it was asked last. */
  takeFull(): boolean {
    const full = this.#full
    this.#full = false
    return full
  }

  #throwUnlessBusy(error: unknown): void {
    const code = codeOf(error)
    const trouble = code === null ? undefined : troubles[code]
    if (trouble === undefined) throw error
    if (trouble === 'full') this.#full = true
    if (code !== busy || this.#isOver()) throw unavailable(trouble, error)
  }

  #isOver(): boolean {
    const now = performance.now()
    if (this.#busySince === null || now - this.#busyAt > sameTroubleMs) this.#busySince = now
    this.#busyAt = now
    return now - this.#busySince >= patienceMs
  }
}
