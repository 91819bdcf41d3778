import {
  BADNAME,
  BADRESP,
  FORMERR,
  NODATA,
  NOTFOUND,
  NOTIMP,
  REFUSED,
  type RecordWithTtl,
  Resolver,
  SERVFAIL,
  type TIMEOUT,
} from 'node:dns'
import type { Family } from './hosts-file.ts'

export interface DnsQuestion {
  /** Complete, as it is asked: no search domain is added. */
  readonly name: string
  readonly family: Family
}

/** An error carries the `code` of the resolver library. */
export type DnsAnswered = (error: Error | null, records: readonly RecordWithTtl[]) => void

/**
 * Asks one name server once, over UDP and, where its answer is too long for that, over TCP. Gives up after `limitMs`.
 * Returns what stops it, which is not answered. The library's channel is new for each question: one that is kept adapts
 * its limit to the answers before, down to a quarter of a second, and drops an answer that comes after it.
 */
export function askNameServer(
  server: string,
  { name, family }: DnsQuestion,
  limitMs: number,
  done: DnsAnswered,
): () => void {
  let stopped = false
  const resolver = new Resolver({ timeout: limitMs, maxTimeout: limitMs, tries: 1 })
  resolver.setServers([server])
  const answered = (error: Error | null, records: readonly RecordWithTtl[]) => {
    if (!stopped) done(error, error ? [] : records)
  }
  if (family === 4) resolver.resolve4(name, { ttl: true }, answered)
  else resolver.resolve6(name, { ttl: true }, answered)
  return () => {
    stopped = true
    resolver.cancel()
  }
}

/** Nobody can say more of the name. */
const finalCodes: ReadonlySet<string> = new Set([NOTFOUND, NODATA, BADNAME])
/** The server answers, but not this question. */
const declinedCodes: ReadonlySet<string> = new Set([SERVFAIL, REFUSED, NOTIMP, FORMERR, BADRESP])

/** What an error is worth: the name's own, a server's inability to tell, or the silence of a server. */
export function worthOf(error: Error): 'final' | 'declined' | 'silent' {
  const code = codeOf(error)
  if (finalCodes.has(code)) return 'final'
  return declinedCodes.has(code) ? 'declined' : 'silent'
}

/** Whether the name may still be meant in another search domain (resolv.conf(5)). */
export function isWorthSearching(error: Error): boolean {
  return codeOf(error) === NOTFOUND || isServerFailure(error)
}

/** A server could not tell whether there is such a name. */
export function isServerFailure(error: Error): boolean {
  return codeOf(error) === SERVFAIL
}

export function dnsError(code: typeof NODATA | typeof TIMEOUT): Error {
  const message =
    code === NODATA ? 'the name has no address of this family' : 'no name server answered in time'
  return Object.assign(new Error(message), { code })
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : ''
}
