import { type Answer, decode, encode } from 'dns-packet'

/** What an honest server says of a question, and what may be said otherwise. */
export interface DnsReply {
  readonly answers?: readonly Answer[]
  /** NXDOMAIN is 3. */
  readonly code?: number
  readonly id?: number
  readonly name?: string
  readonly type?: 'A' | 'AAAA' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'CNAME'
  readonly truncated?: boolean
  /** No question is repeated. */
  readonly bare?: boolean
  /** A query instead of a response. */
  readonly query?: boolean
  /** With the pseudo-record of EDNS, and the upper part of the response code in it. */
  readonly extendedCode?: number
}

const flags = { recursion: 0x0180, truncated: 0x0200 } as const

/** The answer to a question as it came over UDP. */
export function replyTo(question: Buffer, reply: DnsReply = {}): Buffer {
  const { id = question.readUInt16BE(0), answers = [], code = 0, truncated = false } = reply
  const asked = decode(question).questions?.[0]
  if (!asked) throw new Error('a question without a question')
  const said = { ...asked, name: reply.name ?? asked.name, type: reply.type ?? asked.type }
  return encode({
    id,
    type: reply.query ? 'query' : 'response',
    flags: flags.recursion | (truncated ? flags.truncated : 0) | code,
    questions: reply.bare ? [] : [said],
    answers: [...answers],
    additionals: reply.extendedCode === undefined ? [] : [optOf(reply.extendedCode)],
  })
}

function optOf(extendedRcode: number): Answer {
  return {
    name: '.',
    type: 'OPT',
    udpPayloadSize: 1232,
    extendedRcode,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  }
}

/** As it goes over TCP; `length` is what it says of itself. */
export function framed(message: Buffer, length = message.length): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(length)
  return Buffer.concat([bytes, message])
}
