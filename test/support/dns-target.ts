import { createSocket } from 'node:dgram'

/** What to answer for a name: addresses of IPv4, a failure, or nothing at all. */
export type DnsAnswer =
  | { readonly addresses: readonly string[]; readonly ttl: number; readonly delayMs?: number }
  | 'NXDOMAIN'
  | 'SERVFAIL'
  | 'silence'

export interface DnsTarget {
  /** `127.0.0.1:49152` */
  readonly nameServer: string
  /** The names asked for, in the order of their coming. */
  readonly asked: string[]
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const headerBytes = 12
const responseCodes = { NXDOMAIN: 3, SERVFAIL: 2 } as const

/** A name server on a free UDP port of 127.0.0.1. Names without an answer do not exist. */
export async function startDnsTarget(answers: Readonly<Record<string, DnsAnswer>>): Promise<DnsTarget> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const name = nameOf(query)
    asked.push(name)
    const answer = answers[name] ?? 'NXDOMAIN'
    if (answer === 'silence') return
    const send = () => socket.send(response(query, name, answer), from.port, from.address)
    if (typeof answer === 'object' && answer.delayMs) setTimeout(send, answer.delayMs)
    else send()
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    nameServer: `127.0.0.1:${socket.address().port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function nameOf(query: Buffer): string {
  const labels: string[] = []
  for (let at = headerBytes; query.readUInt8(at) !== 0; at += 1 + query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query.readUInt8(at)))
  }
  return labels.join('.')
}

function response(query: Buffer, name: string, answer: Exclude<DnsAnswer, 'silence'>): Buffer {
  // Labels with their lengths, the root's zero, type and class.
  const question = query.subarray(headerBytes, headerBytes + name.length + 2 + 4)
  const isIpv4 = question.readUInt16BE(question.length - 4) === 1
  const failed = typeof answer === 'string'
  const records = failed || !isIpv4 ? [] : answer.addresses.map((address) => record(address, answer.ttl))
  const header = Buffer.alloc(headerBytes)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (failed ? responseCodes[answer] : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, question, ...records])
}

function record(address: string, ttl: number): Buffer {
  const bytes = Buffer.alloc(16)
  // A pointer to the name of the question, type A, class IN.
  bytes.writeUInt16BE(0xc00c, 0)
  bytes.writeUInt16BE(1, 2)
  bytes.writeUInt16BE(1, 4)
  bytes.writeUInt32BE(ttl, 6)
  bytes.writeUInt16BE(4, 10)
  bytes.set(address.split('.').map(Number), 12)
  return bytes
}
