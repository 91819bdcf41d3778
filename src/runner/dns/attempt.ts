import type { DnsEvidence, DnsObservation, DnsResponse } from '../../contract/checks/dns/observation.ts'
import type { DnsRequest } from '../../contract/checks/dns/request.ts'
import type { NetworkFailure } from '../../contract/failure.ts'
import type { Seen } from '../../contract/outcome.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EgressPolicy } from '../../rules/egress/egress-policy.ts'
import type { TemplateSources } from '../../rules/template/helpers.ts'
import { Cutoff, type Cuttable } from '../cutoff.ts'
import { addressInDoubt, whyNoOwnAddress } from '../dial/own-address.ts'
import type { Resolve } from '../dial/resolve.ts'
import { failure, isTimeout, timeoutIn } from '../failures.ts'
import { TcpAsking } from './ask-over-tcp.ts'
import { UdpAsking } from './ask-over-udp.ts'
import type { Asked } from './asking.ts'
import { AskingRecord } from './asking-record.ts'
import { dnsFailure, unaskable, withUnfit } from './dns-failure.ts'
import { dnsQuery } from './dns-query.ts'
import { findServers } from './find-servers.ts'
import { type NameServer, nameServerText } from './name-server.ts'
import { queryName } from './query-name.ts'
import type { DnsAnswer } from './read-message.ts'

export interface DnsCheckOptions {
  readonly clock: Clock
  /** Finds name servers that are named. */
  readonly resolveName: Resolve
  readonly egress: EgressPolicy
  /** The agent's own resolvers, as `127.0.0.1:5353`; those of resolv.conf where none are named. */
  readonly nameServers: readonly string[] | undefined
  /** What templates get anew for each attempt. */
  readonly templates: TemplateSources
  /** For all that is asked in one attempt together. */
  readonly attemptMs: number
}

export type DnsSeen = Seen<DnsObservation, DnsEvidence>

interface AttemptOptions extends DnsCheckOptions {
  readonly ownResolvers: () => readonly NameServer[]
  readonly request: DnsRequest
  readonly signal: AbortSignal
  /** The name of a name server is asked for anew, whatever is known of it. */
  readonly freshDns: boolean
  readonly resolve: (outcome: DnsSeen) => void
  readonly reject: (error: unknown) => void
}

/** What a resolver says that does not answer for the name, or not for us: another may. */
const declinedCodes: ReadonlySet<string> = new Set(['SERVFAIL', 'REFUSED', 'NOTIMP', 'FORMERR'])
/** What a server says that is too old for EDNS (RFC 6891 §7). */
const withoutEdnsCodes: ReadonlySet<string> = new Set(['FORMERR', 'NOTIMP'])

/** One question on its way to an answer: from server to server, from UDP to TCP, from EDNS to without. */
export class Attempt implements Cuttable {
  readonly #options: AttemptOptions
  readonly #record: AskingRecord
  readonly #cutoff: Cutoff
  readonly #isOwn: boolean
  #protocol: DnsRequest['protocol']
  #edns = true
  #stopFinding = () => {}
  #asking: Cuttable | null = null
  /** Of a resolver that declined, while others are asked. */
  #declined: DnsResponse | null = null

  constructor(options: AttemptOptions) {
    const { request, clock, attemptMs, signal } = options
    this.#options = options
    this.#record = new AskingRecord(request, clock)
    this.#cutoff = new Cutoff(attemptMs, signal)
    this.#isOwn = this.#record.evidence().nameServer === null
    this.#protocol = request.protocol
  }

  start(): void {
    const { request, freshDns: fresh } = this.#options
    const name = queryName(request.query)
    if (name === null) {
      this.#fail(unaskable)
      return
    }
    this.#cutoff.during(this)
    this.#stopFinding = findServers({ ...this.#options, fresh, watcher: this.#record }, (error, servers) => {
      if (error) this.#failBy(error)
      else this.#ask(name, servers)
    })
  }

  cut(): void {
    const { signal, reject } = this.#options
    this.#stopFinding()
    this.#asking?.cut()
    this.#record.timer.count()
    if (this.#cutoff.cause === 'stopped') {
      this.#cutoff.clear()
      reject(signal.reason)
    } else if (this.#declined) {
      this.#observe(this.#declined)
    } else {
      this.#fail(this.#timeout())
    }
  }

  #ask(name: string, servers: readonly NameServer[]): void {
    const { clock, request } = this.#options
    const query = dnsQuery({ name, type: request.recordType, edns: this.#edns })
    const Asking = this.#protocol === 'UDP' ? UdpAsking : TcpAsking
    const asking = new Asking({ servers, query, clock, watcher: this.#record }, (asked) =>
      this.#take(name, servers, asked),
    )
    this.#asking = asking
    asking.start()
  }

  #take(name: string, servers: readonly NameServer[], asked: Asked): void {
    if (asked.kind === 'answered') {
      this.#weigh(name, servers, asked.server, asked.answer)
    } else if (asked.kind === 'truncated') {
      this.#protocol = 'TCP'
      this.#ask(name, [asked.server])
    } else if (this.#declined) {
      this.#observe(this.#declined)
    } else {
      this.#failBy(asked.error)
    }
  }

  /** Takes an answer, unless another question, or another of our own resolvers, promises a better one. */
  #weigh(name: string, servers: readonly NameServer[], server: NameServer, answer: DnsAnswer): void {
    const { Status } = answer.json
    const others = servers.filter((other) => nameServerText(other) !== nameServerText(server))
    if (this.#edns && !answer.edns && withoutEdnsCodes.has(Status)) {
      this.#edns = false
      this.#ask(name, [server, ...others])
    } else if (this.#isOwn && others.length > 0 && declinedCodes.has(Status)) {
      this.#declined = responseOf(server, this.#protocol, answer)
      this.#edns = true
      this.#protocol = this.#options.request.protocol
      this.#ask(name, others)
    } else {
      this.#observe(responseOf(server, this.#protocol, answer))
    }
  }

  #observe(response: DnsResponse): void {
    this.#cutoff.clear()
    const observation = { ...this.#record.evidence(), response }
    const timings = this.#record.timer.timings()
    this.#options.resolve({ kind: 'observed', timings, observation })
  }

  /** Out of time in this phase. */
  #timeout(): NetworkFailure {
    const { timer, unfit } = this.#record
    const phase = timer.phase ?? 'dns'
    const timeout = this.#isOwn ? failure('dns-timeout', phase) : timeoutIn(phase)
    return { ...timeout, message: withUnfit(timeout.message, unfit) }
  }

  #failBy(error: Error): void {
    this.#record.timer.count()
    const address = addressInDoubt(error)
    if (address === null) this.#conclude(error)
    else void whyNoOwnAddress(error, address).then((why) => this.#conclude(why))
  }

  #conclude(error: Error): void {
    try {
      this.#fail(dnsFailure(error, this.#record.timer.phase, this.#isOwn))
    } catch (fault) {
      this.#cutoff.clear()
      this.#options.reject(fault)
    }
  }

  #fail(cause: NetworkFailure): void {
    this.#cutoff.clear()
    const { phase } = cause
    const told = { timings: this.#record.timer.timings(), cause, evidence: this.#record.evidence() }
    const isLate = phase !== null && (cause.class === 'dns-timeout' || isTimeout(cause))
    if (isLate) this.#options.resolve({ kind: 'timed-out', during: phase, ...told })
    else this.#options.resolve({ kind: 'unreachable', ...told })
  }
}

function responseOf(server: NameServer, protocol: DnsRequest['protocol'], answer: DnsAnswer): DnsResponse {
  const { bytes, text, json, truncated } = answer
  return { server: nameServerText(server), protocol, bytes, text, json, truncated }
}
