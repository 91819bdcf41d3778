import { getServers, lookup, NODATA, type RecordWithTtl, Resolver } from 'node:dns'
import { isIP } from 'node:net'
import type { Clock } from '../../lib/clock.ts'
import { AnswerCache } from './answer-cache.ts'
import { type DnsAnswered, dnsError } from './dns-query.ts'
import { type Family, type Hosts, parseHosts } from './hosts-file.ts'
import { NameServers } from './name-servers.ts'
import { RereadFile } from './reread-file.ts'
import { parseResolvConf } from './resolv-conf.ts'
import { search } from './search-list.ts'

export interface Question {
  /** As a user writes it; a dot at its end says that it is complete, and no search domain is tried. */
  readonly hostname: string
  readonly family: Family
  /** Asks the name servers even when the answer is known already. */
  readonly fresh: boolean
}

type Resolved = (error: Error | null, addresses: readonly string[]) => void
/** Finds the addresses of a name, of one family only, at once or later; an error carries the resolver's own `code`. */
export type Resolve = (question: Question, done: Resolved) => void

export interface ResolverOptions {
  readonly clock: Clock
  /** `127.0.0.1:5353`; those of resolv.conf where none are named. */
  readonly nameServers?: readonly string[]
  readonly hostsFile?: string
  readonly resolvConf?: string
  /** How long a name server is waited for, at first, before the next one is asked as well. */
  readonly timeoutMs?: number
  /** How often each name server is asked: each time it is waited for twice as long. */
  readonly tries?: number
}

/** For all names and servers that one question takes: a third of what an attempt has. */
const questionMs = 10_000
const loopback: Readonly<Record<Family, readonly string[]>> = { 4: ['127.0.0.1'], 6: ['::1'] }

/**
 * Asks the name servers itself: the operating system's resolver would stall all checks behind four threads. Knows the
 * hosts file, `localhost` and all under it (RFC 6761 §6.3), and search domains. Answers within 10 s. Equal questions at
 * the same time are one to the name servers. @throws RangeError, TypeError for a name server that is no address
 */
export function createResolver(options: ResolverOptions): Resolve {
  const { clock, hostsFile = '/etc/hosts' } = options
  const hosts = new RereadFile({ path: hostsFile, clock, parse: parseHosts })
  const ask = createAsk(options)
  const cache = new AnswerCache(clock)
  const waiting = new Map<string, Resolved[]>()

  function answer(key: string, error: Error | null, records: readonly RecordWithTtl[]): void {
    const addresses = addressesOf(records)
    if (addresses.length > 0) cache.set(key, addresses, ttlMs(records))
    const all = waiting.get(key) ?? []
    waiting.delete(key)
    for (const done of all) finish(error, addresses, done)
  }

  return ({ hostname, family, fresh }, done) => {
    const name = hostname.toLowerCase()
    const local = localAddresses(hosts.content, name, family)
    if (local) return finish(null, local, done)
    const key = `${family} ${name}`
    const cached = fresh ? null : cache.get(key)
    if (cached) return finish(null, cached, done)
    const others = waiting.get(key)
    waiting.set(key, [...(others ?? []), done])
    if (!others) ask(name, family, (error, records) => answer(key, error, records))
  }
}

/** The way through the search domains and name servers, which are looked up in resolv.conf each time. */
function createAsk(options: ResolverOptions): (name: string, family: Family, done: DnsAnswered) => void {
  const { clock, resolvConf = '/etc/resolv.conf', timeoutMs = 2000, tries = 3 } = options
  // A slip in the options shows here, and not at the first question.
  new Resolver().setServers([...(options.nameServers ?? [])])
  const file = new RereadFile({ path: resolvConf, clock, parse: parseResolvConf })
  const nameServers = new NameServers({ clock, timeoutMs, tries })
  return (name, family, done) => {
    const conf = file.content
    const named = options.nameServers ?? conf.nameServers
    // Where there is no such file, the library knows how the system tells.
    const servers = named.length > 0 ? named : getServers()
    const untilMs = clock.monotonicMs() + questionMs
    search(
      name,
      conf,
      (each, answered) => nameServers.ask({ name: each, family, servers, untilMs }, answered),
      done,
    )
  }
}

/** The operating system's resolver, with its plug-ins (USE_OS_DNS_RESOLVER, semantics §10). It caches as it likes. */
export function createOsResolver(): Resolve {
  return ({ hostname, family }, done) =>
    lookup(hostname, { family, all: true }, (error, found) =>
      error ? done(error, []) : finish(null, addressesOf(found), done),
    )
}

/** Null for a name that is for the name servers to tell; empty where it has no address of this family. */
function localAddresses(hosts: Hosts, name: string, family: Family): readonly string[] | null {
  const bare = name.replace(/\.$/, '')
  const found = hosts.get(bare)
  if (found) return found.filter((address) => isIP(address) === family)
  return bare === 'localhost' || bare.endsWith('.localhost') ? loopback[family] : null
}

function finish(error: Error | null, addresses: readonly string[], done: Resolved): void {
  if (error || addresses.length > 0) done(error, addresses)
  else done(dnsError(NODATA), [])
}

/** Of one answer: nobody tries more. */
const maxAddresses = 100

function addressesOf(records: readonly { readonly address: string }[]): string[] {
  return records.slice(0, maxAddresses).map(({ address }) => address)
}

function ttlMs(records: readonly RecordWithTtl[]): number {
  return Math.min(...records.map(({ ttl }) => ttl)) * 1000
}
