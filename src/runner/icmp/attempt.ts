import { isIP, isIPv6 } from 'node:net'
import type { IcmpEvidence, IcmpObservation } from '../../contract/checks/icmp/observation.ts'
import type { IcmpRequest } from '../../contract/checks/icmp/request.ts'
import type { TriedAddress } from '../../contract/connection.ts'
import type { NetworkFailure } from '../../contract/failure.ts'
import type { Seen } from '../../contract/outcome.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EgressPolicy } from '../../rules/egress/egress-policy.ts'
import { figuresOf } from '../../rules/icmp-figures.ts'
import { Cutoff } from '../cutoff.ts'
import { codeOf, egressForbidden } from '../dial/dial-errors.ts'
import { findAddresses } from '../dial/find-addresses.ts'
import type { Resolve } from '../dial/resolve.ts'
import { failureOf, isTimeout, timeoutIn } from '../failures.ts'
import { PhaseTimer } from '../phase-timer.ts'
import { echoBytes } from './echo-message.ts'
import { countRefusals, pingError, refusalFailure } from './icmp-failures.ts'
import type { Ping, Pinged } from './ping.ts'

/** What one attempt saw. */
export type IcmpSeen = Seen<IcmpObservation, IcmpEvidence>

interface AttemptOptions {
  readonly clock: Clock
  readonly resolve: Resolve
  readonly egress: EgressPolicy
  readonly ping: Ping
  readonly request: IcmpRequest
  /** As hostToDial gives it. */
  readonly hostname: string
  readonly signal: AbortSignal
  readonly freshDns: boolean
  readonly attemptMs: number
}

const nothing: Pinged = { echoes: [], refused: [] }

/** A host looked up, judged and pinged. */
export class Attempt {
  readonly #options: AttemptOptions
  readonly #timer: PhaseTimer
  readonly #ending = new AbortController()
  readonly #tried: TriedAddress[] = []
  #pinged: Pinged = nothing
  #resolvedIp: string | null = null

  constructor(options: AttemptOptions) {
    this.#options = options
    this.#timer = new PhaseTimer(options.clock)
  }

  async run(): Promise<IcmpSeen> {
    const { attemptMs, signal } = this.#options
    const cutoff = new Cutoff(attemptMs, signal)
    cutoff.during({ cut: () => this.#ending.abort() })
    try {
      const seen = await this.#observe()
      signal.throwIfAborted()
      return seen
    } catch (error) {
      signal.throwIfAborted()
      return this.failed(failureOf(error, this.#timer.phase))
    } finally {
      cutoff.clear()
    }
  }

  async #observe(): Promise<IcmpSeen> {
    const addresses = await this.#findAddresses()
    if (addresses === null) return this.failed(timeoutIn('dns'))
    this.#timer.enter('firstByte')
    const address = this.#judge(addresses)
    this.#resolvedIp = address
    await this.#ping(address)
    return this.#conclude(address)
  }

  /** Null where the time ran out. */
  #findAddresses(): Promise<readonly string[] | null> {
    const { resolve, request, hostname, freshDns: fresh, egress } = this.#options
    if (egress.forbidsHost(hostname)) throw egressForbidden(null)
    if (isIP(hostname) === 0) this.#timer.enter('dns')
    return new Promise((found, failed) => {
      const family = request.ipFamily === 'IPv6' ? 6 : 4
      const stop = findAddresses(
        resolve,
        { hostname, family, fresh },
        { onAddresses: found, onEnd: (error) => error && failed(error) },
      )
      this.#ending.signal.addEventListener('abort', () => {
        stop()
        found(null)
      })
    })
  }

  /** The first address that may be reached. @throws DialError EGRESS_FORBIDDEN */
  #judge(addresses: readonly string[]): string {
    const { egress, hostname } = this.#options
    for (const address of addresses) {
      if (!egress.forbidsAddress(address, hostname)) return address
      this.#tried.push({ address, fate: 'forbidden', code: null, tookUs: 0 })
    }
    throw egressForbidden(addresses[0] ?? null)
  }

  async #ping(address: string): Promise<void> {
    const { ping, request, clock } = this.#options
    const family = isIPv6(address) ? 6 : 4
    const startedMs = clock.monotonicMs()
    const tookUs = () => Math.round((clock.monotonicMs() - startedMs) * 1000)
    try {
      this.#pinged = await ping({ address, family, count: request.pingCount }, this.#ending.signal)
    } catch (error) {
      this.#tried.push({ address, fate: 'failed', code: codeOf(error), tookUs: tookUs() })
      throw pingError(error, family)
    }
    this.#timer.count()
    const { echoes, refused } = this.#pinged
    const code = refused[0]?.code ?? null
    if (echoes.some(({ rttMs }) => rttMs !== null)) {
      this.#tried.push({ address, fate: 'connected', code: null, tookUs: tookUs() })
    } else {
      this.#tried.push({ address, fate: code ? 'failed' : 'abandoned', code, tookUs: tookUs() })
    }
  }

  #conclude(resolvedIp: string): IcmpSeen {
    const evidence = this.#evidence()
    const { packetLoss, latency } = evidence
    if (packetLoss !== null && latency !== null) {
      const observation = { ...evidence, resolvedIp, packetLoss, latency }
      return { kind: 'observed', timings: this.#timer.timings(), observation }
    }
    const [refused] = this.#pinged.refused
    return this.failed(refused ? refusalFailure(refused) : timeoutIn('firstByte'))
  }

  /** What was not observed, and why. */
  failed(cause: NetworkFailure): IcmpSeen {
    this.#timer.count()
    const told = { timings: this.#timer.timings(), cause, evidence: this.#evidence() }
    return isTimeout(cause) && cause.phase !== null
      ? { kind: 'timed-out', during: cause.phase, ...told }
      : { kind: 'unreachable', ...told }
  }

  #evidence(): IcmpEvidence {
    const { ipFamily, pingCount } = this.#options.request
    return {
      hostname: this.#options.hostname,
      resolvedIp: this.#resolvedIp,
      ipFamily: this.#resolvedIp === null ? ipFamily : isIPv6(this.#resolvedIp) ? 'IPv6' : 'IPv4',
      pingCount,
      packetSize: echoBytes,
      ...figuresOf(this.#pinged.echoes),
      refusals: countRefusals(this.#pinged.refused),
      addresses: this.#tried,
    }
  }
}
