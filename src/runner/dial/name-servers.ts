import { TIMEOUT } from 'node:dns'
import type { Clock } from '../../lib/clock.ts'
import { askNameServer, type DnsAnswered, type DnsQuestion, dnsError, worthOf } from './dns-query.ts'

export interface NameServersOptions {
  readonly clock: Clock
  /** How long a server is waited for before the next one is asked as well. */
  readonly timeoutMs: number
  /** How often each server is asked: each time it is waited for twice as long. */
  readonly tries: number
}

export interface DnsInquiry extends DnsQuestion {
  /** `127.0.0.1:5353`, the preferred one first. */
  readonly servers: readonly string[]
  /** Of the monotonic clock: it is over by then. */
  readonly untilMs: number
}

/** So long is a server that was passed over asked after all others; then beside the first, to see whether it is back. */
const slowMs = 60_000

/**
 * Asks several name servers in turn. One that does not answer in time is passed over, and what it says later still
 * counts: the first answer wins. It is remembered as slow, so that one question pays for it and not each.
 */
export class NameServers {
  readonly #options: NameServersOptions
  readonly #slowSinceMs = new Map<string, number>()

  constructor(options: NameServersOptions) {
    this.#options = options
  }

  /** Calls back once. A server that cannot tell is worth more than silence, and any answer more than both. */
  ask(inquiry: DnsInquiry, done: DnsAnswered): void {
    const { clock } = this.#options
    const slow = inquiry.servers.filter((server) => this.#slowSinceMs.has(server))
    const good = inquiry.servers.filter((server) => !slow.includes(server))
    const nowMs = clock.monotonicMs()
    new Asking(
      {
        ...this.#options,
        ...inquiry,
        servers: [...good, ...slow],
        beside: slow.filter((server) => nowMs - (this.#slowSinceMs.get(server) ?? nowMs) >= slowMs),
        onHeard: (server) => this.#slowSinceMs.delete(server),
        onSilent: (server) => this.#slowSinceMs.set(server, clock.monotonicMs()),
      },
      done,
    ).start()
  }
}

interface AskingOptions extends NameServersOptions, DnsInquiry {
  /** Those that are asked together with the first one. */
  readonly beside: readonly string[]
  readonly onHeard: (server: string) => void
  readonly onSilent: (server: string) => void
}

interface Turn {
  readonly server: string
  readonly waitMs: number
}

/** One question on its way through the servers. */
class Asking {
  readonly #options: AskingOptions
  readonly #done: DnsAnswered
  readonly #stops: (() => void)[] = []
  /** Those that have said that they cannot tell, or cannot be reached. */
  readonly #over = new Set<string>()
  #turn = 0
  #current: string | null = null
  #timer: NodeJS.Timeout | undefined
  #error: Error | null = null

  constructor(options: AskingOptions, done: DnsAnswered) {
    this.#options = options
    this.#done = done
  }

  start(): void {
    const [first] = this.#options.servers
    for (const server of this.#options.beside) if (server !== first) this.#query(server)
    this.#next()
  }

  /** Asks the next server that may still know, or gives up where there is none. */
  #next(): void {
    clearTimeout(this.#timer)
    const turn = this.#leftMs() > 0 ? this.#nextTurn() : null
    if (turn) this.#take(turn)
    else this.#end(this.#error ?? dnsError(TIMEOUT), [])
  }

  #nextTurn(): Turn | null {
    const { servers, tries, timeoutMs } = this.#options
    while (this.#turn < servers.length * tries) {
      const server = servers[this.#turn % servers.length]
      const waitMs = timeoutMs * 2 ** Math.floor(this.#turn / servers.length)
      this.#turn += 1
      if (server !== undefined && !this.#over.has(server)) return { server, waitMs }
    }
    return null
  }

  #take({ server, waitMs }: Turn): void {
    this.#current = server
    this.#query(server)
    this.#timer = setTimeout(
      () => {
        this.#options.onSilent(server)
        this.#next()
      },
      Math.min(waitMs, this.#leftMs()),
    )
  }

  #query(server: string): void {
    const answered: DnsAnswered = (error, records) => {
      const worth = error ? worthOf(error) : 'final'
      if (worth === 'silent') this.#options.onSilent(server)
      else this.#options.onHeard(server)
      if (worth === 'final') this.#end(error, records)
      else this.#giveUp(server, error, worth)
    }
    this.#stops.push(askNameServer(server, this.#options, Math.ceil(this.#leftMs()), answered))
  }

  #giveUp(server: string, error: Error | null, worth: 'declined' | 'silent'): void {
    this.#over.add(server)
    if (worth === 'declined' || this.#error === null) this.#error = error
    if (server === this.#current) this.#next()
  }

  #leftMs(): number {
    return this.#options.untilMs - this.#options.clock.monotonicMs()
  }

  #end(error: Error | null, records: Parameters<DnsAnswered>[1]): void {
    clearTimeout(this.#timer)
    for (const stop of this.#stops) stop()
    this.#done(error, records)
  }
}
