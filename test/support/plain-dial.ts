import { connect, type Socket } from 'node:net'
import type { Connection, Dial, DialTarget } from '../../src/runner/dial/dial.ts'

export interface PlainDial {
  readonly dial: Dial
  /** Everything that was asked for. */
  readonly targets: DialTarget[]
  /** With what it was stopped. */
  readonly stops: Error[]
  /** Every socket that was handed over. */
  readonly sockets: Socket[]
}

/** Dials 127.0.0.1 without TLS, whatever is asked for: what is under test begins where the connection is there. */
export function plainDial(way: Partial<Omit<Connection, 'socket'>> & { port?: number } = {}): PlainDial {
  const sockets: Socket[] = []
  const targets: DialTarget[] = []
  const stops: Error[] = []
  const { port, forwarder = null, proxied = false } = way
  const dial: Dial = (target, watcher, done) => {
    targets.push(target)
    watcher.onPhase('connect')
    const socket = connect({ host: '127.0.0.1', port: port ?? target.port, noDelay: true })
    const failed = (error: Error & { code?: string }) => {
      if (proxied) watcher.onProxied?.()
      watcher.onTried({ address: '127.0.0.1', fate: 'failed', code: error.code ?? null, tookUs: 1 })
      done(error, null)
    }
    socket.once('error', failed).once('connect', () => {
      socket.off('error', failed)
      sockets.push(socket)
      watcher.onTried({ address: '127.0.0.1', fate: 'connected', code: null, tookUs: 1 })
      done(null, { socket, forwarder, proxied })
    })
    return (error) => {
      stops.push(error)
      socket.off('error', failed).on('error', () => {})
      socket.destroy()
      done(error, null)
    }
  }
  return { dial, targets, stops, sockets }
}
