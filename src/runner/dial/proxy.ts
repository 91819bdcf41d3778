import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { proxyRefused } from './dial-errors.ts'
import type { ProxySettings } from './proxy-url.ts'
import { type ReachWatcher, reach } from './reach.ts'
import type { Resolve } from './resolve.ts'
import { startTls } from './tls.ts'
import { askForTunnel } from './tunnel.ts'

export interface ProxyWayOptions {
  readonly clock: Clock
  readonly resolve: Resolve
  /** For the connection to the proxy, where that is over TLS. */
  readonly context: SecureContext
  readonly proxy: ProxySettings
  readonly watcher: ReachWatcher
  /** Null where the proxy forwards what it is sent, without a tunnel. */
  readonly tunnelTo: { readonly hostname: string; readonly port: number } | null
}

type Opened = (error: Error | null, socket: Socket | null) => void

/** To reach the proxy; its answer to CONNECT takes as long as it takes to reach the target. */
const reachProxyMs = 10_000

const proxyUnusable = (cause: unknown) =>
  new AppError('PROXY_UNUSABLE', 'The proxy of the location cannot be used', { cause })

/**
 * Opens the way to a target through the location's proxy. That the proxy cannot be reached, does not accept the
 * credentials or does not answer as a proxy is our own fault: AppError PROXY_UNUSABLE. What it says of the target is a
 * DialError PROXY_REFUSED. Returns what stops it, which is not called back.
 */
export function openProxyWay(options: ProxyWayOptions, done: Opened): () => void {
  const { tunnelTo, proxy } = options
  let stop = reachProxy(options, (error, socket) => {
    if (!socket || !tunnelTo) return done(error, socket)
    const authorization = proxy.authorization?.reveal() ?? null
    const stopWaiting = askForTunnel({ socket, ...tunnelTo, authorization }, (failure, status) => {
      const refusal = failure ? proxyUnusable(failure) : refusalOf(status)
      if (refusal) discard(socket)
      done(refusal, refusal ? null : socket)
    })
    stop = () => {
      stopWaiting()
      discard(socket)
    }
  })
  return () => stop()
}

/** Null for a tunnel that stands. */
function refusalOf(status: number): Error | null {
  if (status < 300) return null
  return status === 407 ? proxyUnusable(proxyRefused(status)) : proxyRefused(status)
}

function reachProxy(options: ProxyWayOptions, done: Opened): () => void {
  const { proxy, context, clock } = options
  const { hostname, port } = proxy
  const end: Opened = (error, socket) => {
    clearTimeout(timer)
    done(error && proxyUnusable(error), socket)
  }
  const connected: Opened = (error, socket) => {
    if (!socket || !proxy.secure) return end(error, socket)
    stop = startTls({ socket, context, name: hostname, verify: true, now: clock.now() }, end)
  }
  const timer = setTimeout(() => {
    stop()
    end(new Error('the proxy did not answer in time'), null)
  }, reachProxyMs)
  let stop = reach(
    { ...options, hostname, port, family: null, fresh: false, forbids: () => false },
    connected,
  )
  return () => {
    clearTimeout(timer)
    stop()
  }
}

function discard(socket: Socket): void {
  socket.on('error', () => {}).destroy()
}
