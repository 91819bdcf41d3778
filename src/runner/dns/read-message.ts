import type { DnsJson } from '../../contract/checks/dns/observation.ts'
import { DnsFault } from './dns-fault.ts'
import type { DnsQuery } from './dns-query.ts'
import { type MessageShape, shapeOf } from './message-shape.ts'
import { nameText, writeRecord } from './record-text.ts'

/** What a name server says to a question. */
export interface DnsAnswer {
  readonly bytes: number
  readonly text: string
  readonly json: DnsJson
  readonly truncated: boolean
  /** It knows of EDNS. */
  readonly edns: boolean
}

/** What a message is to a question. */
export type ReadMessage =
  | { readonly kind: 'answer'; readonly answer: DnsAnswer }
  /** It belongs to another question, or to none: somebody may have made it up. */
  | { readonly kind: 'unfit' }
  /** It is of the one who was asked, and cannot be read. */
  | { readonly kind: 'bad'; readonly fault: DnsFault }

const headerBytes = 12
/** Of names and data that are kept: pointers make a message many times as long as it was. */
const maxCharacters = 1_000_000

const flags = { QR: 0x8000, opcode: 0x7800, TC: 0x0200, RD: 0x0100, RA: 0x0080, AD: 0x0020, CD: 0x0010 }

/** RFC 1035, 2136, 6891 and 7873. */
const responseCodes: Readonly<Record<number, string>> = {
  0: 'NOERROR',
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  6: 'YXDOMAIN',
  7: 'YXRRSET',
  8: 'NXRRSET',
  9: 'NOTAUTH',
  10: 'NOTZONE',
  16: 'BADVERS',
  23: 'BADCOOKIE',
}

/** Never throws, and takes no longer than a message of its length has to. */
export function readMessage(message: Buffer, query: DnsQuery): ReadMessage {
  if (!fits(message, query)) return { kind: 'unfit' }
  try {
    return { kind: 'answer', answer: answerOf(message, query) }
  } catch (error) {
    if (error instanceof DnsFault) return { kind: 'bad', fault: error }
    throw error
  }
}

/** Of a message that may be cut off anywhere after its question: whether its sender says that it is too long for UDP. */
export function isTruncated(message: Buffer, query: DnsQuery): boolean {
  return fits(message, query) && (message.readUInt16BE(2) & flags.TC) !== 0
}

/** A server that understood nothing of a question may leave it out. */
function fits(message: Buffer, query: DnsQuery): boolean {
  if (message.length < headerBytes || message.readUInt16BE(0) !== query.id) return false
  const head = message.readUInt16BE(2)
  if ((head & flags.QR) === 0 || (head & flags.opcode) !== 0) return false
  const questions = message.readUInt16BE(4)
  if (questions === 0) return codeOf(message, null) !== 0 && message.readUInt16BE(6) === 0
  return questions === 1 && repeats(message, questionOf(query))
}

function questionOf({ message, edns }: DnsQuery): Buffer {
  return message.subarray(headerBytes, edns ? message.length - optBytes : message.length)
}

/** Without options. */
const optBytes = 11

/** In letters of either case (RFC 4343): no length of a label looks like a letter. */
function repeats(message: Buffer, question: Buffer): boolean {
  const repeated = message.subarray(headerBytes, headerBytes + question.length)
  return (
    repeated.equals(question) ||
    (repeated.length === question.length && question.every((byte, at) => lower(byte) === lower(repeated[at])))
  )
}

function lower(byte: number | undefined): number | undefined {
  return byte !== undefined && byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
}

/** @throws DnsFault */
function answerOf(message: Buffer, query: DnsQuery): DnsAnswer {
  const shape = shapeOf(message)
  const head = message.readUInt16BE(2)
  const { lines, records, truncated } = recordsOf(message, shape)
  const json = {
    Answer: records,
    Question: [{ name: nameText(query.name), type: query.type }],
    Status: responseCode(codeOf(message, shape)),
    TC: (head & flags.TC) !== 0,
    RD: (head & flags.RD) !== 0,
    RA: (head & flags.RA) !== 0,
    AD: (head & flags.AD) !== 0,
    CD: (head & flags.CD) !== 0,
  }
  return { bytes: message.length, text: lines.join('\n'), json, truncated, edns: shape.opt !== null }
}

function recordsOf(message: Buffer, { answers }: MessageShape) {
  const lines: string[] = []
  const records: DnsJson['Answer'] = []
  let characters = 0
  for (const place of answers) {
    const { record, line } = writeRecord(message, place)
    characters += record.name.length + record.data.length + line.length
    if (characters > maxCharacters) return { lines, records, truncated: true }
    lines.push(line)
    records.push(record)
  }
  return { lines, records, truncated: false }
}

/** EDNS has room for more codes (RFC 6891 §6.1.3). */
function codeOf(message: Buffer, shape: MessageShape | null): number {
  const low = message.readUInt16BE(2) & 0x0f
  return shape?.opt ? ((shape.opt.ttl >>> 24) << 4) | low : low
}

const responseCode = (code: number) => responseCodes[code] ?? `RCODE${code}`
