import { lookup, NODATA, type RecordWithTtl, Resolver } from 'node:dns'
import type { Clock } from '../../lib/clock.ts'
import { type Family, HostsFile } from './hosts-file.ts'

type Resolved = (error: Error | null, addresses: readonly string[]) => void
/** Finds the addresses of a name, of one family only; an error carries the resolver's own `code`. */
export type Resolve = (hostname: string, family: Family, done: Resolved) => void

export interface ResolverOptions {
  readonly clock: Clock
  /** `127.0.0.1:5353`; the machine's own where none are named. */
  readonly nameServers?: readonly string[]
  readonly hostsFile?: string
  /** For the first try; the next ones wait longer. */
  readonly timeoutMs?: number
  readonly tries?: number
}

interface Cached {
  readonly addresses: readonly string[]
  readonly untilMs: number
}

const maxTtlMs = 30_000
const maxCached = 10_000
const loopback: Readonly<Record<Family, readonly string[]>> = { 4: ['127.0.0.1'], 6: ['::1'] }

/** Asks the name servers itself: the operating system's resolver would stall all checks behind four threads. */
export function createResolver(options: ResolverOptions): Resolve {
  const { clock, nameServers, hostsFile = '/etc/hosts', timeoutMs = 2000, tries = 3 } = options
  const hosts = new HostsFile({ path: hostsFile, clock })
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (nameServers) resolver.setServers([...nameServers])
  const cache = new Map<string, Cached>()
  const asked = new Map<string, Resolved[]>()

  function ask(hostname: string, family: Family, key: string): void {
    const answered = (error: Error | null, records: readonly RecordWithTtl[]) => {
      const waiting = asked.get(key) ?? []
      asked.delete(key)
      const addresses = error ? [] : records.map(({ address }) => address)
      if (!error) remember(cache, key, { addresses, untilMs: clock.monotonicMs() + ttlMs(records) })
      for (const done of waiting) finish(error, addresses, done)
    }
    if (family === 4) resolver.resolve4(hostname, { ttl: true }, answered)
    else resolver.resolve6(hostname, { ttl: true }, answered)
  }

  return (hostname, family, done) => {
    const known = hosts.addresses(hostname, family) ?? (isLocal(hostname) ? loopback[family] : null)
    if (known) return finish(null, known, done)
    const key = `${family} ${hostname}`
    const cached = cache.get(key)
    if (cached && cached.untilMs > clock.monotonicMs()) return finish(null, cached.addresses, done)
    const waiting = asked.get(key)
    if (waiting) {
      waiting.push(done)
      return
    }
    asked.set(key, [done])
    ask(hostname, family, key)
  }
}

/** The operating system's resolver, with its search domains and plug-ins (USE_OS_DNS_RESOLVER, semantics §10). */
export function createOsResolver(): Resolve {
  return (hostname, family, done) =>
    lookup(hostname, { family, all: true }, (error, found) =>
      error
        ? done(error, [])
        : finish(
            null,
            found.map(({ address }) => address),
            done,
          ),
    )
}

/** RFC 6761 §6.3: these names never leave the machine. */
function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost')
}

function finish(error: Error | null, addresses: readonly string[], done: Resolved): void {
  if (error || addresses.length > 0) done(error, addresses)
  else done(Object.assign(new Error('the name has no address of this family'), { code: NODATA }), [])
}

function ttlMs(records: readonly RecordWithTtl[]): number {
  return records.reduce((shortest, { ttl }) => Math.min(shortest, ttl * 1000), maxTtlMs)
}

function remember(cache: Map<string, Cached>, key: string, cached: Cached): void {
  cache.delete(key)
  cache.set(key, cached)
  if (cache.size <= maxCached) return
  const oldest = cache.keys().next()
  if (!oldest.done) cache.delete(oldest.value)
}
