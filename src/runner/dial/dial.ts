import { isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { ClientCertificate } from '../../contract/client-certificate.ts'
import type { TlsFacts } from '../../contract/connection.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EgressPolicy } from '../../rules/egress/egress-policy.ts'
import { namedByHostHeader } from '../../rules/egress/host-header.ts'
import { egressForbidden } from './dial-errors.ts'
import type { Family } from './hosts-file.ts'
import { openProxyWay } from './proxy.ts'
import type { ProxySettings } from './proxy-url.ts'
import { type ReachWatcher, reach } from './reach.ts'
import type { Resolve } from './resolve.ts'
import { startTls } from './tls.ts'
import { TlsContexts } from './tls-contexts.ts'

export interface DialTarget {
  /** A name, or an IP literal without brackets, which is taken as it is whatever the family. */
  readonly hostname: string
  readonly port: number
  /** What the request says in Host where that is not the URL's: some proxies go there instead. */
  readonly hostHeader?: string | null
  /** Null where both families will do: then they are raced (RFC 8305). A proxy looks names up as it likes. */
  readonly family: Family | null
  /** Asks the name servers even when the answer is known already. */
  readonly freshDns?: boolean
  /** Null for a plain connection. */
  readonly tls: TlsTarget | null
  /** A plain connection through a proxy is a tunnel: what is sent is no HTTP, and nothing that a proxy could forward. */
  readonly opaque?: boolean
}

export interface TlsTarget {
  /** Whom the certificate must name: a host name or an IP literal. */
  readonly name: string
  readonly verify: boolean
  readonly clientCertificate: ClientCertificate | null
}

/** A fresh connection, ready for the first byte of a request. */
export interface Connection {
  readonly socket: Socket
  /** A plain request goes through this proxy, which is told the whole URL; null where the socket is the target's own. */
  readonly forwarder: { readonly authorization: string | null } | null
  /** The way leads through a proxy, by a tunnel or by its forwarding: the socket's remote address is the proxy's. */
  readonly proxied: boolean
}

/** Told as the dialing goes on, failed or not. */
export interface DialWatcher extends ReachWatcher {
  readonly onTls: (facts: TlsFacts) => void
  /** The way leads through a proxy: the addresses that are told from now on are the proxy's. */
  readonly onProxied?: () => void
}

type Dialed = (error: Error | null, connection: Connection | null) => void
/** Opens one fresh connection. Returns what stops it, with the error that `done` then gets. */
export type Dial = (target: DialTarget, watcher: DialWatcher, done: Dialed) => (error: Error) => void

export interface DialerOptions {
  readonly clock: Clock
  readonly resolve: Resolve
  readonly egress: EgressPolicy
  /** The proxy that all check traffic goes through now; null for none. What it throws is what a dialing fails by. */
  readonly proxy: () => ProxySettings | null
  /** PEM texts of authorities that are trusted besides the machine's own. */
  readonly extraCa: readonly string[]
}

/** A dialer that decides for every address, at the moment it is connected to, whether it may be (design promise 10). */
export function createDialer(options: DialerOptions): Dial {
  const contexts = new TlsContexts(options.extraCa)
  return (target, watcher, done) => {
    const dialing = new Dialing({ ...options, contexts, target, watcher }, done)
    dialing.start()
    return (error) => dialing.stop(error)
  }
}

interface DialingOptions extends DialerOptions {
  readonly contexts: TlsContexts
  readonly target: DialTarget
  readonly watcher: DialWatcher
}

/** One connection being opened. */
class Dialing {
  readonly #options: DialingOptions
  readonly #done: Dialed
  /** What is going on now. */
  #stop = () => {}
  #ended = false

  constructor(options: DialingOptions, done: Dialed) {
    this.#options = options
    this.#done = done
  }

  start(): void {
    const { target, contexts, egress, proxy } = this.#options
    try {
      // Before the first phase: this is our own work.
      const secure = target.tls && { ...target.tls, context: contexts.of(target.tls.clientCertificate) }
      if (egress.forbidsHost(target.hostname)) throw egressForbidden(null)
      const settings = proxy()
      if (settings) this.#goThrough(settings, secure)
      else this.#goDirectly(secure)
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error('a dialing threw no error', { cause: error }))
    }
  }

  stop(error: Error): void {
    if (!this.#ended) this.#stop()
    this.#fail(error)
  }

  #goDirectly(secure: SecureTarget | null): void {
    const { target, egress, clock, resolve, watcher } = this.#options
    const { hostname, port, family, freshDns: fresh = false } = target
    const forbids = (address: string) => egress.forbidsAddress(address, hostname)
    const way = { hostname, port, family, fresh, forbids, clock, resolve, watcher }
    this.#stop = reach(way, (error, socket) => {
      if (socket) this.#finish({ socket, forwarder: null, proxied: false }, secure)
      else this.#fail(error)
    })
  }

  #goThrough(proxy: ProxySettings, secure: SecureTarget | null): void {
    const { target, contexts, watcher } = this.#options
    this.#judgeUnseen(target.hostname)
    const isTunnel = secure !== null || target.opaque === true
    if (!isTunnel) this.#judgeHostHeader(target.hostHeader ?? null)
    watcher.onProxied?.()
    const forwarder = isTunnel ? null : { authorization: proxy.authorization?.reveal() ?? null }
    const way = { proxy, context: contexts.of(null), tunnelTo: isTunnel ? target : null }
    this.#stop = openProxyWay({ ...this.#options, ...way }, (error, socket) => {
      if (socket) this.#finish({ socket, forwarder, proxied: true }, secure)
      else this.#fail(error)
    })
  }

  /** The proxy finds the address of a name. @throws DialError EGRESS_FORBIDDEN */
  #judgeUnseen(hostname: string): void {
    const { egress, watcher } = this.#options
    if (isIP(hostname) === 0) {
      if (egress.forbidsUnseen(hostname)) throw egressForbidden(null)
    } else if (egress.forbidsAddress(hostname, hostname)) {
      watcher.onTried({ address: hostname, fate: 'forbidden', code: null, tookUs: 0 })
      throw egressForbidden(hostname)
    }
  }

  /**
   * A proxy that forwards must go by the URL (RFC 9112 §3.2.2), and some go by Host. @throws DialError EGRESS_FORBIDDEN
   */
  #judgeHostHeader(value: string | null): void {
    if (value === null) return
    const named = namedByHostHeader(value)
    if (named === null) throw egressForbidden(null)
    this.#judgeUnseen(named)
  }

  #finish(connection: Connection, secure: SecureTarget | null): void {
    if (secure) this.#secure(connection, secure)
    else this.#end(null, connection)
  }

  #secure(connection: Connection, secure: SecureTarget): void {
    const { clock, watcher } = this.#options
    const options = { ...secure, socket: connection.socket, now: clock.now() }
    watcher.onPhase('tls')
    this.#stop = startTls(options, (error, socket, facts) => {
      if (facts) watcher.onTls(facts)
      this.#end(error, socket && { ...connection, socket })
    })
  }

  #fail(error: Error | null): void {
    this.#end(error ?? new Error('a dialing ended without a reason'), null)
  }

  #end(error: Error | null, connection: Connection | null): void {
    if (this.#ended) return
    this.#ended = true
    this.#done(error, connection)
  }
}

interface SecureTarget extends TlsTarget {
  readonly context: SecureContext
}
