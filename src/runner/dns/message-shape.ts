import { badAnswer } from './dns-fault.ts'

/** Where a record stands in a message, and what its fixed fields say. */
export interface RecordPlace {
  readonly at: number
  readonly type: number
  readonly class: number
  readonly ttl: number
  readonly dataAt: number
  readonly end: number
}

export interface MessageShape {
  readonly answers: readonly RecordPlace[]
  /** The pseudo-record of EDNS; null where the server does not know of it. */
  readonly opt: RecordPlace | null
}

export const types = { A: 1, NS: 2, CNAME: 5, SOA: 6, MX: 15, TXT: 16, AAAA: 28, DNAME: 39, OPT: 41 } as const

const headerBytes = 12
/** With its end. */
const maxNameBytes = 255
const maxLabelBytes = 63
const pointerMark = 0xc0
const pointerBytes = 2
/** A name has no more labels, and nobody who means well points more often. */
const maxPointers = 127

/**
 * Where the records of a message stand: every name, length and count holds, and no name takes more than 255 steps to
 * read, so that the library, which trusts lengths and follows pointers as far as they go, can read it safely.
 * @throws DnsFault where it is not so
 */
export function shapeOf(message: Buffer): MessageShape {
  if (message.length < headerBytes) throw badAnswer('it is shorter than its header')
  let at = headerBytes
  for (let question = count(message, 4); question > 0; question -= 1) at = nameEnd(message, at) + 4
  const answers = recordsAt(message, at, count(message, 6))
  const authorities = recordsAt(message, endOf(answers, at), count(message, 8))
  const additionals = recordsAt(message, endOf(authorities, endOf(answers, at)), count(message, 10))
  for (const record of answers) checkData(message, record)
  return { answers, opt: additionals.find(({ type }) => type === types.OPT) ?? null }
}

/** Where a name ends that begins here; one that points elsewhere ends with its pointer. @throws DnsFault */
function nameEnd(message: Buffer, start: number): number {
  let at = start
  let nameBytes = 0
  for (let length = byteAt(message, at); length < pointerMark; length = byteAt(message, at)) {
    if (length > maxLabelBytes) throw badAnswer('a name in it has a label of an unknown kind')
    nameBytes += length + 1
    at += length + 1
    if (nameBytes > maxNameBytes) throw badAnswer('a name in it is too long')
    if (length === 0) return at
  }
  checkPointers(message, start, at, nameBytes)
  return at + pointerBytes
}

/** That the rest of a name that points elsewhere is one: each pointer leads to what stood before (RFC 1035 §4.1.4). */
function checkPointers(message: Buffer, start: number, pointer: number, bytesBefore: number): void {
  let [segment, at, nameBytes, pointers] = [start, pointer, bytesBefore, 0]
  for (let length = byteAt(message, at); length !== 0; length = byteAt(message, at)) {
    if (length >= pointerMark) {
      const target = ((length - pointerMark) << 8) | byteAt(message, at + 1)
      pointers += 1
      if (target >= segment || pointers > maxPointers) throw badAnswer('a name in it points in a circle')
      segment = target
      at = target
    } else {
      nameBytes += length + 1
      at += length + 1
      if (length > maxLabelBytes || nameBytes >= maxNameBytes) throw badAnswer('a name in it is too long')
    }
  }
}

function recordsAt(message: Buffer, start: number, records: number): RecordPlace[] {
  const places: RecordPlace[] = []
  let at = start
  for (let left = records; left > 0; left -= 1) {
    const fields = nameEnd(message, at)
    if (fields + 10 > message.length) throw cutOff()
    const dataAt = fields + 10
    const end = dataAt + message.readUInt16BE(fields + 8)
    if (end > message.length) throw cutOff()
    places.push({
      at,
      type: message.readUInt16BE(fields),
      class: message.readUInt16BE(fields + 2),
      ttl: message.readUInt32BE(fields + 4),
      dataAt,
      end,
    })
    at = end
  }
  return places
}

/** That the data of a record that is read by its fields is as long as its fields are. @throws DnsFault */
function checkData(message: Buffer, record: RecordPlace): void {
  if (dataEnd(message, record) !== record.end) throw badAnswer('a record in it has a wrong length')
}

function dataEnd(message: Buffer, { type, dataAt, end }: RecordPlace): number {
  switch (type) {
    case types.A:
      return dataAt + 4
    case types.AAAA:
      return dataAt + 16
    case types.NS:
    case types.CNAME:
    case types.DNAME:
      return nameEnd(message, dataAt)
    case types.MX:
      return nameEnd(message, dataAt + 2)
    case types.SOA:
      return nameEnd(message, nameEnd(message, dataAt)) + 20
    case types.TXT:
      return textsEnd(message, dataAt, end)
    default:
      return end
  }
}

function textsEnd(message: Buffer, start: number, end: number): number {
  let at = start
  while (at < end) at += 1 + byteAt(message, at)
  return at
}

const count = (message: Buffer, at: number) => message.readUInt16BE(at)
const endOf = (records: readonly RecordPlace[], start: number) => records.at(-1)?.end ?? start
const cutOff = () => badAnswer('it ends in the middle of a record')

function byteAt(message: Buffer, at: number): number {
  const byte = message[at]
  if (byte === undefined) throw cutOff()
  return byte
}
