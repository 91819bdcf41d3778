import { connect, type Socket } from 'node:net'
import type { TriedAddress } from '../../contract/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import { AddressQueue } from './address-queue.ts'
import { egressForbidden } from './dial-errors.ts'

export interface RaceOptions {
  readonly port: number
  readonly clock: Clock
  readonly forbids: (address: string) => boolean
  readonly onTried: (tried: TriedAddress) => void
}

export type Connected = (error: Error | null, socket: Socket | null) => void

/** RFC 8305 §5: an address that does not answer for so long is not waited for alone. */
const attemptDelayMs = 250
const maxOpen = 6
/** Where so many are open already, the first gives way to one that was not tried yet after this long. */
const patienceMs = 5000

interface Attempt {
  readonly address: string
  readonly socket: Socket
  readonly startedMs: number
  readonly onConnect: () => void
  readonly onError: (error: Error) => void
}

/** This machine has no way to the family of the address: that says less than what any other address answers. */
const noWayCodes: ReadonlySet<string> = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/**
 * Tries addresses one after another without waiting for each to fail, and takes the first that connects (RFC 8305).
 * Tells of every address once what became of it. When all fail, it fails as the last one did; forbidden addresses are
 * not tried, and count only where nothing else was. Calls back once, and leaves no socket or timer behind.
 */
export class Race {
  readonly #options: RaceOptions
  readonly #done: Connected
  readonly #queue = new AddressQueue()
  readonly #open = new Set<Attempt>()
  #complete = false
  #ended = false
  #nextAtMs = 0
  #timer: NodeJS.Timeout | null = null
  #failure: Error | null = null
  #forbidden: string | null = null

  constructor(options: RaceOptions, done: Connected) {
    this.#options = options
    this.#done = done
  }

  /** More addresses may come until `complete`. */
  add(addresses: readonly string[]): void {
    this.#queue.add(addresses)
    this.#goOn()
  }

  complete(): void {
    this.#complete = true
    this.#goOn()
  }

  /** Tells that what is open was abandoned, and does not call back. */
  stop(): void {
    this.#ended = true
    this.#clearTimer()
    for (const attempt of this.#open) this.#abandon(attempt)
  }

  /** Starts what is due, and sees to it that the rest will be. */
  #goOn(): void {
    this.#clearTimer()
    const { clock } = this.#options
    while (!this.#ended && !this.#queue.empty && this.#dueMs() <= clock.monotonicMs()) this.#tryNext()
    if (this.#ended) return
    if (!this.#queue.empty) {
      const waitMs = Math.ceil(this.#dueMs() - clock.monotonicMs())
      this.#timer = setTimeout(() => this.#goOn(), waitMs)
    } else if (this.#complete && this.#open.size === 0) {
      this.#ended = true
      this.#done(this.#failure ?? egressForbidden(this.#forbidden), null)
    }
  }

  /** When the next address is tried, by the monotonic clock. */
  #dueMs(): number {
    const [oldest] = this.#open
    if (!oldest) return 0
    return this.#open.size < maxOpen ? this.#nextAtMs : oldest.startedMs + patienceMs
  }

  #tryNext(): void {
    const [oldest] = this.#open
    if (oldest && this.#open.size >= maxOpen) this.#abandon(oldest)
    const address = this.#queue.take()
    if (address === null) return
    if (this.#options.forbids(address)) {
      this.#forbidden ??= address
      this.#options.onTried({ address, fate: 'forbidden', code: null, tookUs: 0 })
    } else {
      this.#try(address)
    }
  }

  #try(address: string): void {
    const startedMs = this.#options.clock.monotonicMs()
    // No wait for more bytes to fill a packet: it would be measured as the target's.
    const socket = connect({
      host: address,
      port: this.#options.port,
      noDelay: true,
      autoSelectFamily: false,
    })
    const attempt: Attempt = {
      address,
      socket,
      startedMs,
      onConnect: () => this.#win(attempt),
      onError: (error) => this.#lose(attempt, error),
    }
    socket.on('connect', attempt.onConnect).on('error', attempt.onError)
    this.#open.add(attempt)
    this.#nextAtMs = startedMs + attemptDelayMs
  }

  #win(attempt: Attempt): void {
    this.#close(attempt, 'connected', null)
    this.stop()
    this.#done(null, attempt.socket)
  }

  #lose(attempt: Attempt, error: Error): void {
    const code = 'code' in error ? String(error.code) : null
    this.#close(attempt, 'failed', code)
    const saysLess = code !== null && noWayCodes.has(code)
    if (this.#failure === null || !saysLess) this.#failure = error
    this.#nextAtMs = 0
    this.#goOn()
  }

  #abandon(attempt: Attempt): void {
    this.#close(attempt, 'abandoned', null)
    attempt.socket.on('error', () => {}).destroy()
  }

  #close(attempt: Attempt, fate: TriedAddress['fate'], code: string | null): void {
    const { address, socket, startedMs, onConnect, onError } = attempt
    this.#open.delete(attempt)
    socket.off('connect', onConnect).off('error', onError)
    const tookUs = Math.round((this.#options.clock.monotonicMs() - startedMs) * 1000)
    this.#options.onTried({ address, fate, code, tookUs })
  }

  #clearTimer(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}
