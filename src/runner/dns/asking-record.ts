import type { DnsEvidence } from '../../contract/checks/dns/observation.ts'
import type { DnsRequest } from '../../contract/checks/dns/request.ts'
import type { TriedAddress } from '../../contract/connection.ts'
import type { Phase } from '../../contract/timings.ts'
import type { Clock } from '../../lib/clock.ts'
import { PhaseTimer } from '../phase-timer.ts'
import type { AskingWatcher } from './asking.ts'
import { queryName } from './query-name.ts'
import { nameText } from './record-text.ts'

const maxAddresses = 100

/** What is known of one attempt while it goes on. */
export class AskingRecord implements AskingWatcher {
  readonly timer: PhaseTimer
  readonly #request: DnsRequest
  readonly #addresses: TriedAddress[] = []
  #sent = 0
  #unfit = 0

  constructor(request: DnsRequest, clock: Clock) {
    this.#request = request
    this.timer = new PhaseTimer(clock)
  }

  get unfit(): number {
    return this.#unfit
  }

  readonly onPhase = (phase: Phase) => {
    this.timer.enter(phase)
  }

  readonly onTried = (tried: TriedAddress) => {
    if (this.#addresses.length < maxAddresses) this.#addresses.push(tried)
  }

  readonly onSent = () => {
    this.#sent += 1
  }

  readonly onHeard = () => {
    this.timer.count()
  }

  readonly onUnfit = () => {
    this.#unfit += 1
  }

  readonly evidence = (): DnsEvidence => {
    const { query, recordType, protocol } = this.#request
    const name = queryName(query)
    return {
      question: { name: name === null ? query : nameText(name), type: recordType },
      nameServer: namedServer(this.#request),
      protocol,
      addresses: this.#addresses,
      sent: this.#sent,
      unfit: this.#unfit,
    }
  }
}

/** Null for the agent's own resolvers. */
function namedServer({ nameServer = '', port }: DnsRequest): string | null {
  const named = nameServer.trim()
  if (named === '') return null
  return port === undefined ? named : `${named} port ${port}`
}
