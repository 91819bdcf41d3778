import { isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { TlsFacts } from '../../contract/checks/api/observation.ts'
import type { Phase } from '../../contract/timings.ts'
import type { Clock } from '../../lib/clock.ts'
import { connectInTurn } from './connect.ts'
import type { Family } from './hosts-file.ts'
import type { Resolve } from './resolve.ts'
import { startTls } from './tls.ts'

export interface DialTarget {
  /** A name, or an IP literal without brackets, which is taken as it is whatever the family. */
  readonly hostname: string
  readonly port: number
  readonly family: Family
  /** Null for a plain connection. `name` is whom the certificate must name: a host name or an IP literal. */
  readonly tls: { readonly name: string; readonly verify: boolean } | null
}

/** Told as the dialing goes on, failed or not. */
export interface DialWatcher {
  readonly onPhase: (phase: Phase) => void
  readonly onAddress: (address: string) => void
  readonly onTls: (facts: TlsFacts) => void
}

type Dialed = (error: Error | null, socket: Socket | null) => void
/** Opens one fresh connection. Returns what stops it, with the error that `done` then gets. */
export type Dial = (target: DialTarget, watcher: DialWatcher, done: Dialed) => (error: Error) => void

export interface DialerOptions {
  readonly clock: Clock
  readonly resolve: Resolve
  readonly context: SecureContext
}

export function createDialer({ clock, resolve, context }: DialerOptions): Dial {
  return (target, watcher, done) => {
    let ended = false
    let stop = () => {}
    const end: Dialed = (error, socket) => {
      if (ended) return
      ended = true
      done(error, socket)
    }

    function secure(socket: Socket, tls: { name: string; verify: boolean }): void {
      watcher.onPhase('tls')
      const servername = isIP(tls.name) === 0 ? tls.name : ''
      const options = { socket, context, peer: tls.name, servername, verify: tls.verify, now: clock.now() }
      stop = startTls(options, (error, secured, facts) => {
        if (facts) watcher.onTls(facts)
        end(error, secured)
      })
    }

    function connect(addresses: readonly string[]): void {
      watcher.onPhase('connect')
      stop = connectInTurn(
        { addresses, port: target.port, onAddress: watcher.onAddress },
        (error, socket) => {
          if (socket && target.tls) secure(socket, target.tls)
          else end(error, socket)
        },
      )
    }

    if (isIP(target.hostname) === 0) {
      watcher.onPhase('dns')
      resolve(target.hostname, target.family, (error, addresses) => {
        if (ended) return
        if (error) end(error, null)
        else connect(addresses)
      })
    } else {
      connect([target.hostname])
    }
    return (error) => {
      stop()
      end(error, null)
    }
  }
}
