import type { CheckType } from '../contract/check-types.ts'
import type { TriedAddress } from '../contract/connection.ts'
import type { FailureClass, NetworkFailure } from '../contract/failure.ts'
import { evidenceOf, type Outcome, type OutcomeOf } from '../contract/outcome.ts'
import type { ErroredReason } from '../contract/result.ts'
import { rulesOfTypes } from './types/rules-of-types.ts'

type Suspect = 'stall' | 'resolver' | 'route' | 'egress'

/**
 * Whose fault a failure may be but the target's. Nobody's: what the target answered, and what is wrong with the
 * request itself. Not the network's: what takes a packet from the target.
 */
export const suspects: Readonly<Record<FailureClass, readonly Suspect[]>> = {
  'variable-missing': [],
  'template-invalid': [],
  'invalid-request': [],
  'dns-nxdomain': [],
  // A forwarder that has lost its own way out says so too.
  'dns-servfail': ['stall', 'route', 'egress'],
  'dns-no-address': [],
  'dns-timeout': ['stall', 'resolver', 'route', 'egress'],
  'dns-failed': ['stall', 'resolver', 'route', 'egress'],
  'egress-forbidden': [],
  'proxy-refused': ['egress'],
  refused: [],
  unreachable: ['stall', 'route', 'egress'],
  'connect-timeout': ['stall', 'egress'],
  reset: ['stall', 'egress'],
  // Who waits for us too long hangs up.
  closed: ['stall'],
  'tls-timeout': ['stall', 'egress'],
  'tls-expired': [],
  'tls-not-yet-valid': [],
  'tls-hostname': [],
  'tls-self-signed': [],
  'tls-issuer-missing': [],
  'tls-untrusted': [],
  'tls-client-certificate': [],
  'tls-handshake': ['stall'],
  'send-timeout': ['stall', 'egress'],
  'first-byte-timeout': ['stall', 'egress'],
  'body-timeout': ['stall', 'egress'],
  truncated: ['stall'],
  'http-malformed': [],
  'headers-too-large': [],
  decompression: [],
  'too-many-redirects': [],
  'redirect-loop': [],
  'redirect-downgrade': [],
  'redirect-invalid': [],
}

/** Codes of `dns-failed` that are an answer of a name server, or that no name server was asked for. */
const answeredCodes: ReadonlySet<string> = new Set([
  'EREFUSED',
  'EFORMERR',
  'ENOTIMP',
  'EBADRESP',
  'EBADNAME',
  'EBADSTR',
  'EBADQUERY',
])

/** The kernel knows no way to the address, or none that works; a router that knows none may say the same. */
const routeCodes: ReadonlySet<string> = new Set([
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
])

/** What is to be asked before the target is blamed. */
export interface Questions {
  readonly nameServers: boolean
  /** Addresses that the kernel would not send to; empty where there is nothing to ask. */
  readonly unrouted: readonly string[]
  /** No address is known: whether there is a way to any. */
  readonly anyRoute: boolean
  readonly egress: boolean
}

export function questionsAbout(outcome: Outcome): Questions {
  if (outcome.kind === 'observed') return { nameServers: false, unrouted: [], anyRoute: false, egress: false }
  const { cause } = outcome
  const suspected = suspects[cause.class]
  return {
    nameServers: suspected.includes('resolver') && !answeredCodes.has(cause.code ?? ''),
    unrouted: suspected.includes('route') ? unrouted(outcome) : [],
    anyRoute: suspected.includes('route') && triedLast(outcome).length === 0,
    // No network lies between this machine and itself.
    egress: suspected.includes('egress') && !isOnThisMachine(outcome),
  }
}

type Failed = Exclude<Outcome, { kind: 'observed' }>

function triedLast(outcome: Failed): readonly TriedAddress[] {
  return addressesOf(outcome).filter(({ fate }) => fate !== 'forbidden')
}

function addressesOf<T extends CheckType>(outcome: OutcomeOf<T>): readonly TriedAddress[] {
  return rulesOfTypes[outcome.type].addresses(evidenceOf(outcome))
}

function unrouted(outcome: Failed): readonly string[] {
  const tried = triedLast(outcome)
  const refused = tried.every(({ fate, code }) => fate === 'failed' && routeCodes.has(code ?? ''))
  const addresses = tried.map(({ address }) => address)
  return refused && !addresses.some(isLoopback) ? addresses : []
}

function isOnThisMachine(outcome: Failed): boolean {
  const tried = triedLast(outcome)
  return tried.length > 0 && tried.every(({ address }) => isLoopback(address))
}

function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\./i.test(address) || address === '::1'
}

/** How many of the name servers are alive. */
export type NameServersAnswer = 'all' | 'some' | 'none' | 'no-socket'
/** Whether the kernel has a way to the addresses, or to any of their family. */
export type RouteAnswer = 'route' | 'no-route' | 'no-socket'
/** unresolved: no name server gave their addresses; unknown: there is none to ask. */
export type EgressAnswer = 'answered' | 'silent' | 'unresolved' | 'unknown' | 'no-socket'

/** What the canaries said; null where one was not asked. */
export interface Findings {
  readonly nameServers: NameServersAnswer | null
  readonly route: RouteAnswer | null
  readonly anyRoute: RouteAnswer | null
  readonly egress: EgressAnswer | null
}

/** What of ours a canary can find at fault. */
export type CanaryReason = Extract<
  ErroredReason,
  'out-of-sockets' | 'no-route' | 'no-egress' | 'resolver-unreachable'
>

/** What of ours is at fault, the surest finding first; null is the target's fault. */
export function decide(findings: Findings, cause: NetworkFailure): CanaryReason | null {
  const { nameServers, route, anyRoute, egress } = findings
  if (Object.values(findings).includes('no-socket')) return 'out-of-sockets'
  if (route === 'no-route') return 'no-route'
  if (egress === 'silent') return 'no-egress'
  if (nameServers !== null && wereDeaf(nameServers, cause)) return 'resolver-unreachable'
  if (egress === 'unresolved') return 'no-egress'
  // A location may have no way to the world by design: then a canary says that all is well.
  return anyRoute === 'no-route' && egress !== 'answered' ? 'no-route' : null
}

/** No target makes a name server refuse a question: where all are alive now, those that did so have just come back. */
function wereDeaf(answer: NameServersAnswer, { code }: NetworkFailure): boolean {
  return answer === 'none' || (answer === 'all' && code === 'ECONNREFUSED')
}
