import { NODATA } from 'node:dns'
import { isIP } from 'node:net'
import type { Family } from './hosts-file.ts'
import type { Resolve } from './resolve.ts'

export interface AddressesWanted {
  /** A name, or an IP literal, which is taken as it is whatever the family. */
  readonly hostname: string
  /** Null for both. */
  readonly family: Family | null
  readonly fresh: boolean
}

export interface AddressListener {
  readonly onAddresses: (addresses: readonly string[]) => void
  /** Once, at the end; an error when no address was found. */
  readonly onEnd: (error: Error | null) => void
}

/** RFC 8305 §3: so long IPv4 waits for IPv6, which is preferred. */
const resolutionDelayMs = 50

/** Finds the addresses of a host, in one go or family by family as their answers come. Returns what stops it. */
export function findAddresses(
  resolve: Resolve,
  wanted: AddressesWanted,
  listener: AddressListener,
): () => void {
  const { hostname, family, fresh } = wanted
  if (isIP(hostname) !== 0) {
    listener.onAddresses([hostname])
    listener.onEnd(null)
    return () => {}
  }
  if (family === null) return new BothFamilies(listener).ask(resolve, hostname, fresh)
  let stopped = false
  resolve({ hostname, family, fresh }, (error, addresses) => {
    if (stopped) return
    if (!error) listener.onAddresses(addresses)
    listener.onEnd(error)
  })
  return () => {
    stopped = true
  }
}

/** Asks for both at once; one that has no addresses is no error where the other has. */
class BothFamilies {
  readonly #listener: AddressListener
  readonly #errors: Error[] = []
  /** Addresses of IPv4 that wait for those of IPv6. */
  #held: readonly string[] = []
  #awaited: readonly Family[] = [6, 4]
  #timer: NodeJS.Timeout | null = null
  #stopped = false

  constructor(listener: AddressListener) {
    this.#listener = listener
  }

  ask(resolve: Resolve, hostname: string, fresh: boolean): () => void {
    for (const family of this.#awaited) {
      resolve({ hostname, family, fresh }, (error, addresses) => {
        if (!this.#stopped) this.#answered(family, error, addresses)
      })
    }
    return () => {
      this.#stopped = true
      this.#clearTimer()
    }
  }

  #answered(family: Family, error: Error | null, addresses: readonly string[]): void {
    this.#awaited = this.#awaited.filter((other) => other !== family)
    if (error) this.#errors.push(error)
    else if (family === 6) this.#listener.onAddresses(addresses)
    else this.#held = addresses
    if (!this.#awaited.includes(6)) this.#release()
    else if (this.#held.length > 0) this.#timer = setTimeout(() => this.#release(), resolutionDelayMs)
    if (this.#awaited.length === 0) this.#listener.onEnd(whyNone(this.#errors))
  }

  #release(): void {
    this.#clearTimer()
    const held = this.#held
    this.#held = []
    if (held.length > 0) this.#listener.onAddresses(held)
  }

  #clearTimer(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }
}

/** Of two errors the one that says more than that there are no addresses of one family. */
function whyNone(errors: readonly Error[]): Error | null {
  if (errors.length < 2) return null
  return errors.find((error) => 'code' in error && error.code !== NODATA) ?? errors[0] ?? null
}
