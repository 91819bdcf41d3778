import type { Socket } from 'node:net'
import type { TcpEvidence, TcpReceived } from '../../contract/checks/tcp/observation.ts'
import type { TcpRequest } from '../../contract/checks/tcp/request.ts'
import type { TriedAddress } from '../../contract/connection.ts'
import type { NetworkFailure } from '../../contract/failure.ts'
import type { Clock } from '../../lib/clock.ts'
import type { TemplateSources } from '../../rules/template/helpers.ts'
import type { BodyMemory } from '../body-memory.ts'
import { Cutoff, type Cuttable } from '../cutoff.ts'
import type { Connection, Dial, DialWatcher } from '../dial/dial.ts'
import { failure, failureOf, timeoutIn } from '../failures.ts'
import { PhaseTimer } from '../phase-timer.ts'
import { Reading } from './reading.ts'
import { type TcpSeen, unsuccessful } from './tcp-seen.ts'

export interface TcpCheckOptions {
  readonly clock: Clock
  readonly dial: Dial
  /** What templates get anew for each attempt. */
  readonly templates: TemplateSources
  readonly attemptMs: number
}

interface AttemptOptions extends TcpCheckOptions {
  readonly request: TcpRequest
  /** As it is dialled. */
  readonly hostname: string
  readonly maxResponseTimeMs: number | null
  readonly signal: AbortSignal
  readonly memory: BodyMemory
  readonly freshDns: boolean
  readonly resolve: (seen: TcpSeen) => void
  readonly reject: (error: unknown) => void
}

type Ending = TcpReceived['ending'] | 'deadline'

const cutOff = new Error('the attempt was cut off')
const ignore = () => {}
const maxAddresses = 100
/** What comes later than this would not make the check pass; but a threshold may be as short as 0. */
const leastReadingMs = 1000

/** One connection: opened, told what is to be sent, and read as long as what is asserted makes it worth while. */
export class TcpAttempt implements Cuttable, DialWatcher {
  readonly #options: AttemptOptions
  readonly #timer: PhaseTimer
  readonly #cutoff: Cutoff
  readonly #reading: Reading
  readonly #tried: TriedAddress[] = []
  #proxied = false
  #stopDialing: ((error: Error) => void) | null = null
  #socket: Socket | null = null
  #sentBytes = 0
  #ended = false

  constructor(options: AttemptOptions) {
    const { clock, attemptMs, signal, request, memory } = options
    this.#options = options
    this.#timer = new PhaseTimer(clock)
    this.#cutoff = new Cutoff(attemptMs, signal)
    this.#reading = new Reading(request.assertions, memory, (ending) => this.#onRead(ending))
  }

  start(): void {
    const { request, hostname, freshDns, dial } = this.#options
    const family = request.ipFamily === 'IPv6' ? 6 : 4
    this.#cutoff.during(this)
    const target = { hostname, port: request.port, family, freshDns, tls: null, opaque: true } as const
    const stop = dial(target, this, this.#onDialed)
    if (!this.#socket && !this.#ended) this.#stopDialing = stop
  }

  cut(): void {
    if (this.#stopDialing) this.#stopDialing(cutOff)
    else this.#onRead('deadline')
  }

  readonly onPhase: DialWatcher['onPhase'] = (phase) => this.#timer.enter(phase)

  readonly onTried: DialWatcher['onTried'] = (tried) => {
    this.#tried.push(tried)
  }

  readonly onTls = ignore

  readonly onProxied = (): void => {
    this.#proxied = true
  }

  readonly #onDialed = (error: Error | null, connection: Connection | null): void => {
    this.#stopDialing = null
    if (connection) this.#talk(connection.socket)
    else this.#failBy(error)
  }

  #talk(socket: Socket): void {
    const { data } = this.#options.request
    this.#socket = socket
    socket.on('error', this.#failBy).on('close', this.#onClose)
    // A tunnel leaves its socket paused.
    if (this.#reading.isWanted) socket.on('data', this.#onData).on('end', this.#onClose).resume()
    if (data === null || data === '') {
      this.#await()
    } else {
      this.onPhase('send')
      this.#sentBytes = Buffer.byteLength(data)
      socket.write(data, 'utf8', this.#onSent)
    }
  }

  readonly #onSent = (): void => {
    if (!this.#ended && this.#timer.phase !== 'download') this.#await()
  }

  #await(): void {
    if (!this.#reading.isWanted) {
      this.#observe('not-asked')
      return
    }
    const { maxResponseTimeMs, attemptMs } = this.#options
    this.onPhase('firstByte')
    const spentMs = this.#timer.timings().totalUs / 1000
    const limitMs = Math.max(maxResponseTimeMs ?? attemptMs, leastReadingMs)
    this.#reading.begin(Math.max(leastReadingMs, limitMs - spentMs))
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#ended) return
    if (this.#timer.phase !== 'download') this.onPhase('download')
    this.#timer.count()
    const fault = this.#reading.take(chunk)
    if (fault) this.#reject(fault)
  }

  readonly #onClose = (): void => {
    if (!this.#ended) this.#onRead('target')
  }

  #onRead(ending: Ending): void {
    if (this.#ended) return
    if (this.#cutoff.cause === 'stopped') this.#reject(this.#options.signal.reason)
    else if (this.#isAnswered()) this.#observe(ending === 'deadline' ? 'idle' : ending)
    else this.#failUnanswered(ending)
  }

  /** Who says nothing has answered where nothing was expected. */
  #isAnswered(): boolean {
    const { phase } = this.#timer
    const isSent = phase === 'firstByte' || phase === 'download'
    return isSent && (this.#reading.bytes > 0 || this.#reading.state() !== 'missing')
  }

  #failUnanswered(ending: Ending): void {
    const { phase } = this.#timer
    this.#fail(() => (ending === 'deadline' && phase ? timeoutIn(phase) : failure('closed', phase)))
  }

  readonly #failBy = (error: Error | null): void => {
    if (this.#ended) return
    const { phase } = this.#timer
    const isCut = this.#cutoff.cause !== null && phase !== null
    if (this.#cutoff.cause === 'stopped') this.#reject(this.#options.signal.reason)
    else this.#fail(() => (isCut ? timeoutIn(phase) : failureOf(error, phase)))
  }

  #observe(ending: TcpReceived['ending']): void {
    // Silence is waited for, and is no part of the answer's time.
    if (ending === 'not-asked' || ending === 'target') this.#timer.count()
    const received = this.#reading.end(ending)
    this.#leave()
    const observation = { ...this.#evidence(), received }
    this.#options.resolve({ kind: 'observed', timings: this.#timer.timings(), observation })
  }

  /** Its time ends here, not with the last byte that came. */
  #fail(causeOf: () => NetworkFailure): void {
    const { resolve, reject } = this.#options
    this.#timer.count()
    const received = this.#socket && this.#reading.isWanted ? this.#reading.end('target') : null
    this.#leave()
    try {
      resolve(unsuccessful(causeOf(), this.#timer.timings(), { ...this.#evidence(), received }))
    } catch (error) {
      reject(error)
    }
  }

  #reject(reason: unknown): void {
    this.#leave()
    this.#options.reject(reason)
  }

  #evidence(): Omit<TcpEvidence, 'received'> {
    const { hostname, port } = this.#options.request
    const connected = this.#tried.find(({ fate }) => fate === 'connected')?.address ?? null
    return {
      hostname,
      port,
      remoteAddress: this.#proxied ? null : connected,
      addresses: this.#tried.slice(0, maxAddresses),
      sentBytes: this.#sentBytes,
    }
  }

  #leave(): void {
    this.#ended = true
    this.#cutoff.clear()
    this.#reading.stop()
    this.#socket
      ?.off('data', this.#onData)
      .off('end', this.#onClose)
      .off('close', this.#onClose)
      .off('error', this.#failBy)
      .on('error', ignore)
      .destroy()
  }
}
