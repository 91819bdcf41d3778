import { type DnsAnswered, isServerFailure, isWorthSearching } from './dns-query.ts'
import type { ResolvConf } from './resolv-conf.ts'

const maxNameLength = 253

/**
 * Asks for the names that a host name may stand for, one after the other, until one exists (resolv.conf(5)). When none
 * does, the name as it was written counts, or a server before it that could not tell.
 */
export function search(
  hostname: string,
  conf: ResolvConf,
  ask: (name: string, answered: DnsAnswered) => void,
  done: DnsAnswered,
): void {
  const names = namesToAsk(hostname, conf)
  const asWritten = names.indexOf(hostname)
  let reason: Error | null = null

  function askFor(index: number): void {
    const name = names[index]
    if (name === undefined) done(reason, [])
    else ask(name, (error, records) => answered(index, error, records))
  }

  const answered = (index: number, ...[error, records]: Parameters<DnsAnswered>): void => {
    if (!error || !isWorthSearching(error)) {
      done(error, records)
    } else {
      if (reason === null || (index <= asWritten && isServerFailure(error))) reason = error
      askFor(index + 1)
    }
  }
  askFor(0)
}

/**
 * With as many dots as `ndots` or more, a name is first taken as it is, and then in each search domain; with fewer, the
 * other way round. A dot at its end says that it is complete.
 */
function namesToAsk(hostname: string, { searchDomains, ndots }: ResolvConf): string[] {
  if (hostname.endsWith('.')) return [hostname.slice(0, -1)]
  const within = searchDomains
    .map((domain) => `${hostname}.${domain}`)
    .filter((name) => name.length <= maxNameLength)
  const dots = hostname.split('.').length - 1
  return dots >= ndots ? [hostname, ...within] : [...within, hostname]
}
