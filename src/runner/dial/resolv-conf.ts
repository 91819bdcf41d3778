import { isIP } from 'node:net'

/** What resolv.conf(5) says of where and how to ask. */
export interface ResolvConf {
  /** `192.0.2.53` or `[2001:db8::53]`, in the order of the file. */
  readonly nameServers: readonly string[]
  /** Domains that a short name may be meant in, without dots at their ends. */
  readonly searchDomains: readonly string[]
  /** A name with at least so many dots is first taken as it is. */
  readonly ndots: number
}

const maxNdots = 15
const maxNameServers = 10
const maxSearchDomains = 32

/** Reads `nameserver`, `search`, `domain` and `options ndots:n`; of search and domain the last one counts. */
export function parseResolvConf(text: string): ResolvConf {
  const nameServers: string[] = []
  let searchDomains: string[] = []
  let ndots = 1
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/)
    if (keyword === 'nameserver') nameServers.push(...values.slice(0, 1).flatMap(asNameServer))
    else if (keyword === 'search') searchDomains = values.flatMap(asDomain)
    else if (keyword === 'domain') searchDomains = values.slice(0, 1).flatMap(asDomain)
    else if (keyword === 'options') ndots = ndotsOf(values) ?? ndots
  }
  return {
    nameServers: nameServers.slice(0, maxNameServers),
    searchDomains: searchDomains.slice(0, maxSearchDomains),
    ndots,
  }
}

/** A link-local address with its zone is one that the resolver library cannot ask. */
function asNameServer(text: string): string[] {
  if (text.includes('%')) return []
  if (isIP(text) === 6) return [`[${text}]`]
  return isIP(text) === 4 ? [text] : []
}

function asDomain(text: string): string[] {
  const domain = text.replace(/\.$/, '').toLowerCase()
  return domain === '' ? [] : [domain]
}

function ndotsOf(options: readonly string[]): number | null {
  const found = options.findLast((option) => /^ndots:\d+$/.test(option))
  return found === undefined ? null : Math.min(Number(found.slice('ndots:'.length)), maxNdots)
}
