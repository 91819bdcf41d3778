import { connect, type Socket } from 'node:net'

export interface ConnectOptions {
  /** Tried in this order. */
  readonly addresses: readonly string[]
  readonly port: number
  /** Told before each address is tried. */
  readonly onAddress: (address: string) => void
  /** After this long without an answer the next address is tried; the last one has no limit of its own. */
  readonly nextAfterMs?: number
}

export type Connected = (error: Error | null, socket: Socket | null) => void

/** Opens a TCP connection to the first address that answers, or fails as the last one did. Returns what stops it. */
export function connectInTurn(options: ConnectOptions, done: Connected): () => void {
  const { addresses, port, onAddress, nextAfterMs = 5000 } = options
  let stop = () => {}

  function attempt(index: number, address: string): void {
    onAddress(address)
    const next = addresses[index + 1]
    // One write for a request and no wait for more to fill the packet: that wait would be measured as the target's.
    const socket = connect({ host: address, port, noDelay: true, autoSelectFamily: false })
    const patience = next === undefined ? null : setTimeout(() => goOn(null), nextAfterMs)
    const settle = () => {
      if (patience) clearTimeout(patience)
      socket.off('connect', connected).off('error', goOn)
    }
    const connected = () => {
      settle()
      done(null, socket)
    }
    const goOn = (error: Error | null) => {
      settle()
      socket.destroy()
      if (next === undefined) done(error, null)
      else attempt(index + 1, next)
    }
    socket.on('connect', connected).on('error', goOn)
    stop = () => {
      settle()
      socket.destroy()
    }
  }

  const [first] = addresses
  if (first !== undefined) attempt(0, first)
  return () => stop()
}
