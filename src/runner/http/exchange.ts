import type { ClientCertificate } from '../../contract/client-certificate.ts'
import type { TlsFacts, TriedAddress } from '../../contract/connection.ts'
import type { Phase } from '../../contract/timings.ts'
import { AppError } from '../../lib/app-error.ts'
import { clientCertificateFor } from '../../rules/match-client-certificate.ts'
import type { BodyAllowance } from '../body-allowance.ts'
import { BodyPieces } from '../body-pieces.ts'
import type { Cutoff } from '../cutoff.ts'
import type { Connection, Dial, DialTarget, DialWatcher, TlsTarget } from '../dial/dial.ts'
import type { PhaseTimer } from '../phase-timer.ts'
import { requestInvalid } from './http-errors.ts'
import { type HttpRequest, hostHeader, peerName } from './http-request.ts'
import { requestHead } from './request-head.ts'
import type { ResponseHead } from './response-head.ts'
import { ResponseParser, type ResponseSink } from './response-parser.ts'

export interface ExchangeOptions {
  readonly ipFamily: 'IPv4' | 'IPv6'
  readonly skipSSL: boolean
  /** Names are asked for anew, whatever is known of them. */
  readonly freshDns: boolean
  /** The newest first. */
  readonly clientCertificates: readonly ClientCertificate[]
  readonly dial: Dial
  readonly timer: PhaseTimer
  readonly cutoff: Cutoff
  /** No more of a body than this is read. */
  readonly maxBodyBytes: number
  readonly allowance: BodyAllowance
}

/** What came over the wire, not decoded. */
export interface RawResponse extends ResponseHead {
  readonly chunks: readonly Buffer[]
  /** The body was longer than was read. */
  readonly capped: boolean
}

/** One request and what became of it. A failed one keeps what it reached. */
export interface Exchange {
  readonly tried: readonly TriedAddress[]
  /** The addresses are those of a proxy. */
  readonly proxied: boolean
  readonly tls: TlsFacts | null
  readonly response: RawResponse | null
  /** Null when the response is complete or was read up to the cap. */
  readonly error: Error | null
  /** In which it ended; null where it was over before the first. */
  readonly phase: Phase | null
}

const cutOff = new Error('the attempt was cut off')
const ignore = () => {}

/** Sends one request over a fresh connection that is closed afterwards, and calls back once, whatever happens. */
export function exchange(
  request: HttpRequest,
  options: ExchangeOptions,
  done: (exchange: Exchange) => void,
): void {
  new Exchanging(request, options, done).start()
}

class Exchanging implements DialWatcher, ResponseSink {
  readonly #request: HttpRequest
  readonly #options: ExchangeOptions
  readonly #done: (exchange: Exchange) => void
  readonly #parser: ResponseParser
  readonly #body: BodyPieces
  readonly #head: string | null
  readonly #tried: TriedAddress[] = []
  #proxied = false
  #tls: TlsFacts | null = null
  #stopDialing: ((error: Error) => void) | null = null
  #connection: Connection | null = null
  /** Of our own: it ends the reading. */
  #fault: Error | null = null
  #ended = false

  constructor(request: HttpRequest, options: ExchangeOptions, done: (exchange: Exchange) => void) {
    this.#request = request
    this.#options = options
    this.#done = done
    this.#parser = new ResponseParser(request.method, this)
    this.#body = new BodyPieces(options.maxBodyBytes)
    this.#head = requestHead(request, null)
  }

  start(): void {
    if (this.#head === null) this.#end(requestInvalid)
    else this.#dial()
  }

  cut(): void {
    if (this.#stopDialing) this.#stopDialing(cutOff)
    else this.#end(cutOff)
  }

  readonly onPhase: DialWatcher['onPhase'] = (phase) => this.#options.timer.enter(phase)

  readonly onTried: DialWatcher['onTried'] = (tried) => {
    this.#tried.push(tried)
  }

  readonly onTls: DialWatcher['onTls'] = (facts) => {
    this.#tls = facts
  }

  readonly onProxied = (): void => {
    this.#proxied = true
  }

  onBegin(): void {
    this.#sent()
    this.onPhase('download')
  }

  onBody(chunk: Buffer, from: number, to: number): boolean {
    const before = this.#body.bytes
    this.#body.add(chunk, from, to)
    this.#fault = this.#options.allowance.use(this.#body.bytes - before)
    return !this.#body.capped && this.#fault === null
  }

  #dial(): void {
    const { dial, cutoff, allowance } = this.#options
    allowance.begin()
    cutoff.during(this)
    const stop = dial(this.#target(), this, this.#onDialed)
    if (!this.#connection && !this.#ended) this.#stopDialing = stop
  }

  #target(): DialTarget {
    const { ipFamily, skipSSL, freshDns } = this.#options
    const { url } = this.#request
    const secure = url.protocol === 'https:'
    return {
      // A dot at its end keeps a name from the search domains.
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
      hostHeader: hostHeader(this.#request),
      family: ipFamily === 'IPv6' ? 6 : 4,
      freshDns,
      tls: secure ? this.#tlsTarget(!skipSSL) : null,
    }
  }

  #tlsTarget(verify: boolean): TlsTarget {
    const name = peerName(this.#request)
    return { name, verify, clientCertificate: clientCertificateFor(name, this.#options.clientCertificates) }
  }

  readonly #onDialed = (error: Error | null, connection: Connection | null): void => {
    this.#stopDialing = null
    if (connection) this.#send(connection)
    else this.#end(error ?? new Error('neither a connection nor an error'))
  }

  #send(connection: Connection): void {
    const { socket } = connection
    this.#connection = connection
    this.#proxied ||= connection.proxied
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError).on('close', this.#onEnd)
    this.onPhase('send')
    this.#write(connection)
  }

  /** Head and body leave in one write. */
  #write({ socket, forwarder }: Connection): void {
    const { body } = this.#request
    const head = forwarder ? requestHead(this.#request, forwarder) : this.#head
    if (head === null) {
      this.#end(requestInvalid)
    } else if (body === null) {
      socket.write(head, 'latin1', this.#sent)
    } else {
      socket.cork()
      socket.write(head, 'latin1')
      socket.write(body, 'utf8', this.#sent)
      socket.uncork()
    }
  }

  /** The system has the last byte of the request, or the target answers without waiting for it. */
  readonly #sent = (): void => {
    if (!this.#ended && this.#options.timer.phase === 'send') this.onPhase('firstByte')
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#parser.feed(chunk)
    if (this.#parser.ended) this.#end(this.#fault ?? this.#parser.error)
  }

  readonly #onEnd = (): void => {
    this.#parser.end()
    this.#end(this.#parser.error)
  }

  readonly #onError = (error: Error): void => this.#end(error)

  #end(error: Error | null): void {
    if (this.#ended) return
    this.#ended = true
    const { timer, cutoff } = this.#options
    timer.count()
    cutoff.during(null)
    this.#leave()
    const { head } = this.#parser
    this.#done({
      tried: this.#tried,
      proxied: this.#proxied,
      tls: this.#tls,
      response: head && { ...head, chunks: this.#body.end(), capped: this.#body.capped },
      error: error ?? this.#proxyFault(),
      phase: timer.phase,
    })
  }

  /** A plain request is answered by the proxy itself where it does not know us: that is no word of the target. */
  #proxyFault(): Error | null {
    const { head } = this.#parser
    if (!this.#connection?.forwarder || head?.status !== 407 || !head.headers['proxy-authenticate'])
      return null
    return new AppError('PROXY_UNUSABLE', 'The proxy of the location asks for other credentials')
  }

  /** The socket serves nobody else; what becomes of it from here on is nobody's concern. */
  #leave(): void {
    this.#connection?.socket
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#onError)
      .off('close', this.#onEnd)
      .on('error', ignore)
      .destroy()
  }
}
