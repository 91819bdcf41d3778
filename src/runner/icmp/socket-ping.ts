import type { Clock } from '../../lib/clock.ts'
import { codeOf } from '../dial/dial-errors.ts'
import type { EchoEvent, EchoSocket } from './echo-socket.ts'
import {
  type Echo,
  intervalMs,
  maxRefused,
  type Pinged,
  type PingTarget,
  type Refused,
  replyMs,
} from './ping.ts'

export interface SocketPingOptions {
  readonly clock: Clock
  readonly socket: EchoSocket
  readonly target: PingTarget
  readonly signal: AbortSignal
}

interface Pending {
  readonly sentNs: bigint
  readonly sentMs: number
  rttMs: number | null
  ttl: number | null
}

/** Pings over a socket that is open, and closes it. @throws KernelError where there is no way to the address */
export function pingOver(options: SocketPingOptions): Promise<Pinged> {
  return new Promise((resolve, reject) => new SocketPing(options, resolve, reject).start())
}

/**
 * Sends every 500 ms, and reads what the kernel has kept and stamped meanwhile: nothing has to wake up when a reply comes.
 * Only after the last request it is looked more often, so that the end is not waited for.
 */
class SocketPing {
  readonly #options: SocketPingOptions
  readonly #done: (pinged: Pinged) => void
  readonly #failed: (error: unknown) => void
  readonly #echoes = new Map<number, Pending>()
  readonly #refused: Refused[] = []
  #dueMs = 0
  #timer: NodeJS.Timeout | undefined
  readonly #cut = () =>
    this.#guard(() => {
      this.#read()
      this.#end()
    })

  constructor(options: SocketPingOptions, done: (pinged: Pinged) => void, failed: (error: unknown) => void) {
    this.#options = options
    this.#done = done
    this.#failed = failed
  }

  start(): void {
    const { socket, target, clock, signal } = this.#options
    this.#guard(() => {
      if (signal.aborted) return this.#end()
      socket.connect(target.address)
      signal.addEventListener('abort', this.#cut)
      this.#dueMs = clock.monotonicMs()
      this.#next()
    })
  }

  /** Nobody else hears of what a timer throws. */
  #guard(step: () => void): void {
    try {
      step()
    } catch (error) {
      this.#close()
      this.#failed(error)
    }
  }

  #next(): void {
    const { clock, target } = this.#options
    this.#read()
    this.#send(this.#echoes.size + 1)
    if (this.#echoes.size === target.count) {
      this.#waitForRest()
      return
    }
    // After a pause of our own the next one is not sent right behind this one.
    this.#dueMs = Math.max(this.#dueMs + intervalMs, clock.monotonicMs() + intervalMs / 2)
    this.#waitForNext()
  }

  /** The first reply is looked for at once: until the kernel has begun to stamp, it stamps what is read. */
  #waitForNext(): void {
    this.#read()
    const nowMs = this.#options.clock.monotonicMs()
    const leftMs = Math.max(0, this.#dueMs - nowMs)
    const first = this.#echoes.size === 1 ? this.#echoes.get(1) : undefined
    if (leftMs > 0 && first?.rttMs === null) {
      const pauseMs = Math.min(leftMs, lookAgainMs(nowMs - first.sentMs))
      this.#timer = setTimeout(() => this.#guard(() => this.#waitForNext()), pauseMs)
    } else {
      this.#timer = setTimeout(() => this.#guard(() => this.#next()), leftMs)
    }
  }

  #send(sequence: number): void {
    const { socket, clock } = this.#options
    const sentMs = clock.monotonicMs()
    let sentNs = 0n
    try {
      sentNs = socket.send(sequence)
    } catch (error) {
      this.#refuse({ code: codeOf(error) ?? 'UNKNOWN', from: null })
    }
    this.#echoes.set(sequence, { sentNs, sentMs, rttMs: null, ttl: null })
  }

  #waitForRest(): void {
    this.#read()
    const nowMs = this.#options.clock.monotonicMs()
    const waiting = [...this.#echoes.values()].filter((echo) => isAwaited(echo, nowMs))
    if (waiting.length === 0) {
      this.#end()
      return
    }
    const lastMs = Math.max(...waiting.map(({ sentMs }) => sentMs))
    this.#timer = setTimeout(() => this.#guard(() => this.#waitForRest()), lookAgainMs(nowMs - lastMs))
  }

  #read(): void {
    for (const event of this.#options.socket.read()) {
      if (event.kind === 'error') this.#refuse(event.error)
      else this.#take(event)
    }
  }

  /** A second reply to the same request changes nothing. */
  #take({ sequence, receivedNs, ttl }: Extract<EchoEvent, { kind: 'reply' }>): void {
    const echo = this.#echoes.get(sequence)
    if (!echo || echo.rttMs !== null) return
    const sinceMs = this.#options.clock.monotonicMs() - echo.sentMs
    const stampedMs = Number(receivedNs - echo.sentNs) / 1e6
    // The kernel stamps by the clock of the day, which may have been set between.
    const rttMs = stampedMs >= 0 && stampedMs <= sinceMs ? stampedMs : sinceMs
    if (rttMs > replyMs) return
    echo.rttMs = Math.round(rttMs * 1000) / 1000
    echo.ttl = ttl
  }

  #refuse(refused: Refused): void {
    if (this.#refused.length < maxRefused) this.#refused.push(refused)
  }

  #end(): void {
    this.#close()
    const nowMs = this.#options.clock.monotonicMs()
    const echoes: Echo[] = [...this.#echoes]
      .filter(([, echo]) => !isAwaited(echo, nowMs))
      .map(([sequence, { rttMs, ttl }]) => ({ sequence, rttMs, ttl }))
    this.#done({ echoes, refused: this.#refused })
  }

  #close(): void {
    const { socket, signal } = this.#options
    clearTimeout(this.#timer)
    signal.removeEventListener('abort', this.#cut)
    socket.close()
  }
}

/** The longer it lasts, the less often it is looked. */
function lookAgainMs(sinceMs: number): number {
  return Math.min(50, Math.max(1, sinceMs / 4))
}

/** Neither answered nor given up. */
function isAwaited({ rttMs, sentMs }: Pending, nowMs: number): boolean {
  return rttMs === null && nowMs - sentMs < replyMs
}
