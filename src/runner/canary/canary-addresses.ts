import { type LookupAddress, lookup } from 'node:dns'
import { isIP } from 'node:net'

export type Addresses =
  | { readonly kind: 'known'; readonly addresses: readonly string[] }
  /** No name server gave them. */
  | { readonly kind: 'unresolved' }
  /** There is no such name: it was misspelt, or is gone. */
  | { readonly kind: 'misnamed' }

/** A name may have very many. */
const maxAddresses = 4

const looked = (hostname: string): Promise<Addresses> =>
  new Promise((resolve) => {
    const done = (error: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => {
      if (error) resolve({ kind: error.code === 'ENOTFOUND' ? 'misnamed' : 'unresolved' })
      else resolve({ kind: 'known', addresses: found.slice(0, maxAddresses).map(({ address }) => address) })
    }
    lookup(hostname, { all: true }, done)
  })

/**
 * The addresses of the canaries. Names are looked up as the agent looks up its service, one at a time, since each takes
 * one of few threads; what was found is kept, so that a canary is still of use when the name servers are not.
 */
export class CanaryAddresses {
  readonly #found = new Map<string, Addresses>()
  readonly #names: readonly string[]
  #looking: Promise<void> | null = null

  constructor(hosts: readonly string[]) {
    this.#names = [...new Set(hosts.filter((host) => isIP(host) === 0))]
    void this.refresh()
  }

  of(host: string): Addresses {
    return isIP(host) === 0
      ? (this.#found.get(host) ?? { kind: 'unresolved' })
      : { kind: 'known', addresses: [host] }
  }

  /** Resolves when every name was looked up; never rejects. One look at a time. */
  refresh(): Promise<void> {
    this.#looking ??= this.#lookUp().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #lookUp(): Promise<void> {
    for (const name of this.#names) {
      const found = await looked(name)
      if (found.kind === 'known' || this.of(name).kind !== 'known') this.#found.set(name, found)
    }
  }
}
