import { randomInt } from 'node:crypto'
import { AUTHENTIC_DATA, encode, type OptAnswer, RECURSION_DESIRED } from 'dns-packet'
import type { DnsRequest } from '../../contract/checks/dns/request.ts'

export interface DnsQuery {
  readonly id: number
  /** Without a dot at its end; `.` for the root. */
  readonly name: string
  readonly type: DnsRequest['recordType']
  /** Whether it says what this side understands (EDNS, RFC 6891): few servers are too old to be told. */
  readonly edns: boolean
  readonly message: Buffer
}

/** What goes through every network in one piece (DNS flag day 2020): a longer answer comes over TCP. */
const udpPayloadSize = 1232

/** Asks for recursion, and whether the answer is authentic (RFC 6840 §5.7), as `dig` does. */
export function dnsQuery({ name, type, edns }: Pick<DnsQuery, 'name' | 'type' | 'edns'>): DnsQuery {
  const id = randomInt(65_536)
  const message = encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED | AUTHENTIC_DATA,
    questions: [{ name, type, class: 'IN' }],
    additionals: edns ? [opt] : [],
  })
  return { id, name, type, edns, message }
}

const opt: OptAnswer = {
  name: '.',
  type: 'OPT',
  udpPayloadSize,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
}
