import type { Socket } from 'node:net'
import { Client, type Dispatcher } from 'undici'
import type { TlsFacts } from '../../contract/checks/api/observation.ts'
import type { Cutoff } from '../cutoff.ts'
import type { Dial, DialTarget, DialWatcher } from '../dial/dial.ts'
import type { PhaseTimer } from '../phase-timer.ts'
import { bareHost, type HttpRequest, peerName } from './http-request.ts'

export interface ExchangeOptions {
  readonly request: HttpRequest
  readonly ipFamily: 'IPv4' | 'IPv6'
  readonly skipVerification: boolean
  readonly dial: Dial
  readonly timer: PhaseTimer
  readonly cutoff: Cutoff
  /** No more of a body than this is read. */
  readonly maxBodyBytes: number
}

/** What came over the wire, not decoded. */
export interface RawResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly chunks: readonly Buffer[]
  /** The body was longer than was read. */
  readonly capped: boolean
}

/** One request and what became of it. A failed one keeps what it reached. */
export interface Exchange {
  /** The address last tried. */
  readonly remoteAddress: string | null
  readonly tls: TlsFacts | null
  readonly response: RawResponse | null
  /** Null when the response is complete or was read up to the cap. */
  readonly error: Error | null
}

const maxHeaderBytes = 65_536

/** Sends one request over a fresh connection that is closed afterwards. Never rejects. */
export function exchange(options: ExchangeOptions): Promise<Exchange> {
  return new Promise((resolve) => new Exchanging(options, resolve).start())
}

class Exchanging implements Dispatcher.DispatchHandler, DialWatcher {
  readonly #options: ExchangeOptions
  readonly #done: (exchange: Exchange) => void
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #capped = false
  #head: Omit<RawResponse, 'chunks' | 'capped'> | null = null
  #remoteAddress: string | null = null
  #tls: TlsFacts | null = null
  #socket: Socket | null = null
  #stop: (error: Error) => void = () => {}

  constructor(options: ExchangeOptions, done: (exchange: Exchange) => void) {
    this.#options = options
    this.#done = done
  }

  start(): void {
    const { request, cutoff } = this.#options
    const { url } = request
    const client = new Client(url.origin, {
      connect: (_origin, connected) => this.#connect(connected),
      maxHeaderSize: maxHeaderBytes,
      // The cutoff is the only deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    cutoff.during(() => this.#stop(new Error('the attempt was cut off')))
    client.dispatch(
      {
        path: url.pathname + url.search,
        method: request.method,
        headers: request.headers.flat(),
        body: request.body,
        reset: true,
      },
      this,
    )
  }

  #connect(connected: (...result: [Error, null] | [null, Socket]) => void): void {
    // A connection lost between handshake and request would be opened anew: that is another attempt, not this one.
    if (this.#socket) {
      connected(Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' }), null)
      return
    }
    this.#stop = this.#options.dial(this.#target(), this, (error, socket) => {
      if (socket) {
        this.#socket = socket
        this.onPhase('send')
        connected(null, socket)
      } else {
        connected(error ?? new Error('no socket and no error'), null)
      }
    })
  }

  #target(): DialTarget {
    const { request, ipFamily, skipVerification } = this.#options
    const { url } = request
    const secure = url.protocol === 'https:'
    return {
      hostname: bareHost(url.hostname),
      port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
      family: ipFamily === 'IPv6' ? 6 : 4,
      tls: secure ? { name: peerName(request), verify: !skipVerification } : null,
    }
  }

  readonly onPhase: DialWatcher['onPhase'] = (phase) => this.#options.timer.enter(phase)

  readonly onAddress: DialWatcher['onAddress'] = (address) => {
    this.#remoteAddress = address
  }

  readonly onTls: DialWatcher['onTls'] = (facts) => {
    this.#tls = facts
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#stop = (error) => controller.abort(error)
  }

  onRequestSent(): void {
    // A small request is with the system by now; a large one when its last bytes have left our buffer.
    if (this.#socket?.writableNeedDrain) this.#socket.once('drain', () => this.#sent())
    else this.#sent()
  }

  #sent(): void {
    if (this.#options.timer.phase === 'send') this.onPhase('firstByte')
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText?: string,
  ): void {
    if (status < 200) return
    this.#sent()
    this.onPhase('download')
    // The parser leaves no header undefined; its type is shared with requests.
    const received = headers as Record<string, string | string[]>
    this.#head = { status, statusText: statusText ?? '', headers: received }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#options.maxBodyBytes - this.#bytes
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#bytes += Math.min(chunk.length, room)
    if (chunk.length <= room) return
    this.#capped = true
    controller.abort(new Error('the body is longer than is read'))
  }

  onResponseEnd(): void {
    // A body that lasts until the connection ends is not complete when the connection was broken off.
    this.#end(this.#socket?.errored ?? null)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(this.#capped ? null : error)
  }

  #end(error: Error | null): void {
    const { timer, cutoff } = this.#options
    timer.count()
    cutoff.during(null)
    const response = this.#head && { ...this.#head, chunks: this.#chunks, capped: this.#capped }
    this.#done({ remoteAddress: this.#remoteAddress, tls: this.#tls, response, error })
  }
}
