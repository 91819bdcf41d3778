import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { TriedAddress } from '../../contract/connection.ts'
import type { Cuttable } from '../cutoff.ts'
import { codeOf } from '../dial/dial-errors.ts'
import type { AskedListener, AskingOptions } from './asking.ts'
import { badAnswer } from './dns-fault.ts'
import type { NameServer } from './name-server.ts'
import { isTruncated, readMessage } from './read-message.ts'

/** So long is a first datagram waited for: it may be lost, and its answer too. */
const patienceMs = 400

/** Who sends so many is guessing the id of the question, or wants to keep us busy. */
const mostUnfit = 1000

const truncated = { kind: 'truncated' } as const

interface Way {
  readonly server: NameServer
  readonly socket: Socket
  connected: boolean
  /** What came and did not answer the question. */
  unfit: number
  readonly startedMs: number
  readonly onError: (error: Error) => void
}

/**
 * Sends a question, and again when no answer comes: after 400 ms, then each time after twice as long, to the next server
 * where there are several. An answer to any of them counts, however late, and so one lost datagram costs its time and no
 * more. What does not answer the question is passed over: anybody can send it (RFC 5452 §9), a thousand times. A server that
 * cannot be reached is not asked again. Each socket has a port of its own, and hears its server alone.
 */
export class UdpAsking implements Cuttable {
  readonly #options: AskingOptions
  readonly #done: AskedListener
  readonly #ways = new Map<NameServer, Way>()
  readonly #lost = new Set<NameServer>()
  #turn = 0
  #current: NameServer | null = null
  #timer: NodeJS.Timeout | undefined
  #ended = false
  #failure: Error | null = null

  constructor(options: AskingOptions, done: AskedListener) {
    this.#options = options
    this.#done = done
  }

  start(): void {
    this.#options.watcher.onPhase('firstByte')
    this.#next()
  }

  cut(): void {
    this.#closeAll()
  }

  #next(): void {
    if (this.#ended) return
    clearTimeout(this.#timer)
    const { servers } = this.#options
    const left = servers.filter((server) => !this.#lost.has(server))
    const server = left[this.#turn % left.length]
    if (server === undefined) this.#fail()
    else this.#ask(server, patienceMs * 2 ** Math.floor(this.#turn / servers.length))
  }

  #ask(server: NameServer, waitMs: number): void {
    this.#turn += 1
    this.#current = server
    // An answer may be there that this process was too busy to read.
    this.#timer = setTimeout(() => setImmediate(() => this.#next()), waitMs)
    const way = this.#ways.get(server)
    if (way?.connected) this.#send(way)
    else if (!way) this.#open(server)
  }

  #open(server: NameServer): void {
    const { clock } = this.#options
    const socket = createSocket({ type: isIPv6(server.address) ? 'udp6' : 'udp4', lookup: asItIs })
    const onError = (error: Error) => this.#lose(way, error)
    const startedMs = clock.monotonicMs()
    const way: Way = { server, socket, connected: false, unfit: 0, startedMs, onError }
    this.#ways.set(server, way)
    socket
      .on('error', onError)
      .on('message', (message) => this.#read(way, message))
      .once('connect', () => {
        way.connected = true
        this.#send(way)
      })
    socket.connect(server.port, server.address)
  }

  #send({ socket }: Way): void {
    this.#options.watcher.onSent()
    socket.send(this.#options.query.message)
  }

  #read(way: Way, message: Buffer): void {
    const { query, watcher } = this.#options
    const { server } = way
    watcher.onHeard()
    const read = isTruncated(message, query) ? truncated : readMessage(message, query)
    if (read.kind === 'unfit') {
      watcher.onUnfit()
      way.unfit += 1
      if (way.unfit >= mostUnfit)
        this.#lose(way, badAnswer('too much came that does not answer the question'))
      return
    }
    this.#end(server)
    if (read.kind === 'truncated') this.#done({ kind: 'truncated', server })
    else if (read.kind === 'bad') this.#done({ kind: 'failed', error: read.fault })
    else this.#done({ kind: 'answered', server, answer: read.answer })
  }

  #lose(way: Way, error: Error): void {
    this.#failure ??= error
    this.#lost.add(way.server)
    this.#close(way, 'failed', codeOf(error))
    if (way.server === this.#current || this.#lost.size === this.#options.servers.length) this.#next()
  }

  #fail(): void {
    this.#closeAll()
    this.#done({ kind: 'failed', error: this.#failure ?? new Error('no name server was there to be asked') })
  }

  #end(answering: NameServer): void {
    const way = this.#ways.get(answering)
    if (way) this.#close(way, 'connected', null)
    this.#closeAll()
  }

  #closeAll(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    for (const way of this.#ways.values()) this.#close(way, 'abandoned', null)
  }

  #close(way: Way, fate: TriedAddress['fate'], code: string | null): void {
    const { clock, watcher } = this.#options
    const { server, socket, startedMs, onError } = way
    if (!this.#ways.delete(server)) return
    socket
      .off('error', onError)
      .on('error', () => {})
      .removeAllListeners('message')
      .removeAllListeners('connect')
      .close()
    const tookUs = Math.round((clock.monotonicMs() - startedMs) * 1000)
    watcher.onTried({ address: server.address, fate, code, tookUs })
  }
}

/** Nothing is looked up: it is an address already. */
function asItIs(
  address: string,
  _options: unknown,
  done: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
): void {
  done(null, address, isIPv6(address) ? 6 : 4)
}
