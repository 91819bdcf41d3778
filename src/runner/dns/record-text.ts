import { answer, name as packetName, type SoaData } from 'dns-packet'
import ipaddr from 'ipaddr.js'
import type { DnsRecord } from '../../contract/checks/dns/observation.ts'
import { type RecordPlace, types } from './message-shape.ts'

declare module 'dns-packet' {
  /** One record, and one name, read where it stands. */
  const answer: { readonly decode: (message: Buffer, at: number) => Answer }
  const name: { readonly decode: (message: Buffer, at: number) => string }
}

export interface WrittenRecord {
  readonly record: DnsRecord
  /** The line that `dig` has for it, with single tabs. */
  readonly line: string
}

interface Data {
  readonly data: string
  /** As it stands in a line, where that is not the same. */
  readonly inLine: string
}

const classNames: Readonly<Record<number, string>> = { 1: 'IN', 3: 'CH', 4: 'HS' }
const typeNames: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(types).map(([name, type]) => [type, name]),
)

/** A pseudo-record that stands where it must not is told as it came. */
const readable: ReadonlySet<number> = new Set(Object.values(types).filter((type) => type !== types.OPT))

/** A record whose place is known to hold, as `dig` writes it; of another type as RFC 3597 has it. */
export function writeRecord(message: Buffer, place: RecordPlace): WrittenRecord {
  const { data, inLine } = dataOf(message, place)
  const type = typeNames[place.type] ?? `TYPE${place.type}`
  const record = { name: nameText(packetName.decode(message, place.at)), type, TTL: place.ttl, data }
  const className = classNames[place.class] ?? `CLASS${place.class}`
  return { record, line: [record.name, record.TTL, className, type, inLine].join('\t') }
}

function dataOf(message: Buffer, place: RecordPlace): Data {
  const bytes = message.subarray(place.dataAt, place.end)
  if (!readable.has(place.type)) return same(unknownText(bytes))
  const read = answer.decode(message, place.at)
  if (read.type === 'A' || read.type === 'AAAA') return same(ipaddr.fromByteArray([...bytes]).toString())
  if (read.type === 'NS' || read.type === 'CNAME' || read.type === 'DNAME') return same(nameText(read.data))
  if (read.type === 'MX') return same(`${read.data.preference ?? 0} ${nameText(read.data.exchange)}`)
  if (read.type === 'SOA') return same(authorityText(read.data))
  if (read.type === 'TXT') return textData([read.data].flat().map((part) => Buffer.from(part)))
  return same(unknownText(bytes))
}

function authorityText({ mname, rname, serial, refresh, retry, expire, minimum }: SoaData): string {
  return [nameText(mname), nameText(rname), serial, refresh, retry, expire, minimum].join(' ')
}

function unknownText(bytes: Buffer): string {
  return `\\# ${[bytes.length, bytes.toString('hex').toUpperCase()].join(' ').trim()}`
}

const same = (data: string): Data => ({ data, inLine: data })

/** Long texts are cut into strings of 255 bytes on their way: who asserts on one means the whole. */
function textData(strings: readonly Buffer[]): Data {
  const inLine = strings.map((string) => `"${[...string].map(quotedByte).join('')}"`).join(' ')
  return { data: Buffer.concat(strings).toString(), inLine }
}

function quotedByte(byte: number): string {
  const character = String.fromCharCode(byte)
  if (character === '"' || character === '\\') return `\\${character}`
  return byte >= 0x20 && byte < 0x7f ? character : decimalEscape(byte)
}

/** What would be read as something else is escaped (RFC 1035 §5.1), so that no name takes more than its place in a line. */
export function nameText(name: string): string {
  return name === '.' ? name : `${name.replace(/["$();@]|[^!-~]/gu, escaped)}.`
}

function escaped(character: string): string {
  if (/[!-~]/.test(character)) return `\\${character}`
  return [...Buffer.from(character)].map(decimalEscape).join('')
}

const decimalEscape = (byte: number) => `\\${String(byte).padStart(3, '0')}`
