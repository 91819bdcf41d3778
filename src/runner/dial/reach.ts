import { isIP } from 'node:net'
import type { TriedAddress } from '../../contract/connection.ts'
import type { Phase } from '../../contract/timings.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Connected, Race } from './connect.ts'
import { type AddressesWanted, findAddresses } from './find-addresses.ts'
import { addressInDoubt, whyNoOwnAddress } from './own-address.ts'
import type { Resolve } from './resolve.ts'

export interface ReachWatcher {
  readonly onPhase: (phase: Phase) => void
  /** An address that was tried, told once, when it is known what became of it. */
  readonly onTried: (tried: TriedAddress) => void
}

export interface ReachOptions extends AddressesWanted {
  readonly port: number
  readonly clock: Clock
  readonly resolve: Resolve
  readonly forbids: (address: string) => boolean
  readonly watcher: ReachWatcher
}

/**
 * Opens a TCP connection to a host, by its name or its address. Where this machine has no address of the family, it
 * fails by a DialError NO_IPV4 or NO_IPV6. Returns what stops it, which is not called back.
 */
export function reach(options: ReachOptions, done: Connected): () => void {
  const { resolve, watcher, hostname, port, clock, forbids } = options
  let ended = false
  let connecting = false
  const end: Connected = (error, socket) => {
    stop()
    done(error, socket)
  }
  const raced: Connected = (error, socket) => {
    const address = addressInDoubt(error)
    if (error === null || address === null) return end(error, socket)
    void whyNoOwnAddress(error, address).then((why) => ended || end(why, null))
  }
  const race = new Race({ port, clock, forbids, onTried: watcher.onTried }, raced)
  let stopFinding = () => {}
  const stop = () => {
    ended = true
    stopFinding()
    race.stop()
  }
  if (isIP(hostname) === 0) watcher.onPhase('dns')
  stopFinding = findAddresses(resolve, options, {
    onAddresses: (addresses) => {
      if (!connecting) watcher.onPhase('connect')
      connecting = true
      race.add(addresses)
    },
    onEnd: (error) => {
      if (error) end(error, null)
      else race.complete()
    },
  })
  if (ended) stopFinding()
  return stop
}
