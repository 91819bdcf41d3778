import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { bindDnsPorts } from './dns-ports.ts'

const responseCodes = { FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const

interface Addresses {
  /** Of both families: each question gets those of its own. */
  readonly addresses: readonly string[]
  readonly ttl: number
  /** Before any answer. */
  readonly delayMs?: number
  /** Before an answer with addresses of IPv6. */
  readonly delayIpv6Ms?: number
  /** The name that the addresses are of. */
  readonly alias?: { readonly name: string; readonly ttl: number }
  /** Too long for UDP: told over TCP only. */
  readonly truncated?: boolean
}

type Failure = keyof typeof responseCodes

/** What to answer for a name: addresses, a failure, or nothing at all. */
export type DnsAnswer =
  | Addresses
  | Failure
  | { readonly failure: Failure; readonly delayMs: number }
  | 'silence'

export interface DnsTarget {
  /** `127.0.0.1:49152` */
  readonly nameServer: string
  /** The names asked for, in the order of their coming. */
  readonly asked: string[]
  readonly askedOverTcp: string[]
  /** From now on; `AAAA a.test` or `A a.test` goes before `a.test`. */
  answers: Readonly<Record<string, DnsAnswer>>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const headerBytes = 12
const types = { A: 1, CNAME: 5, AAAA: 28 } as const

/** A name server on a free port of 127.0.0.1, over UDP and TCP. Names without an answer do not exist. */
export async function startDnsTarget(answers: Readonly<Record<string, DnsAnswer>>): Promise<DnsTarget> {
  const { udp, tcp } = await bindDnsPorts()
  const ended = new AbortController()
  const target: DnsTarget = {
    nameServer: `127.0.0.1:${udp.address().port}`,
    asked: [],
    askedOverTcp: [],
    answers,
    [Symbol.asyncDispose]: async () => {
      ended.abort()
      udp.close()
      tcp.close()
      await Promise.all([once(udp, 'close'), once(tcp, 'close')])
    },
  }
  udp.on('message', (query, from) => {
    target.asked.push(nameOf(query))
    respond(query, target.answers, ({ message, truncated }) => {
      if (!ended.signal.aborted)
        udp.send(truncated ? cut(message) : message, from.port, from.address, () => {})
    })
  })
  tcp.on('connection', (socket) => {
    socket
      .on('error', () => {})
      .once('data', (framed: Buffer) => {
        const query = framed.subarray(2)
        target.askedOverTcp.push(nameOf(query))
        respond(query, target.answers, ({ message }) => socket.end(Buffer.concat([length(message), message])))
      })
  })
  return target
}

interface Response {
  readonly message: Buffer
  readonly truncated: boolean
  readonly afterMs: number
}

function respond(query: Buffer, answers: DnsTarget['answers'], send: (response: Response) => void): void {
  const name = nameOf(query)
  const type = typeOf(query) === types.AAAA ? 'AAAA' : 'A'
  const response = responseTo(query, answers[`${type} ${name}`] ?? answers[name] ?? 'NXDOMAIN')
  if (!response) return
  if (response.afterMs > 0) setTimeout(() => send(response), response.afterMs).unref()
  else send(response)
}

function responseTo(query: Buffer, answer: DnsAnswer): Response | null {
  if (answer === 'silence') return null
  if (typeof answer === 'string') return failed(query, answer, 0)
  if ('failure' in answer) return failed(query, answer.failure, answer.delayMs)
  const { addresses, ttl, delayMs = 0, delayIpv6Ms = delayMs, alias, truncated = false } = answer
  const name = nameOf(query)
  const ipv6 = typeOf(query) === types.AAAA
  const records = addresses
    .filter((address) => isIPv6(address) === ipv6)
    .map((address) => record(alias?.name ?? name, ipv6 ? types.AAAA : types.A, ttl, bytesOf(address)))
  if (alias) records.unshift(record(name, types.CNAME, alias.ttl, encoded(alias.name)))
  return { message: written(query, 0, records), truncated, afterMs: ipv6 ? delayIpv6Ms : delayMs }
}

function failed(query: Buffer, failure: Failure, afterMs: number): Response {
  return { message: written(query, responseCodes[failure], []), truncated: false, afterMs }
}

function nameOf(query: Buffer): string {
  const labels: string[] = []
  for (let at = headerBytes; query.readUInt8(at) !== 0; at += 1 + query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query.readUInt8(at)))
  }
  return labels.join('.')
}

/** Labels with their lengths, the root's zero, type and class. */
function questionOf(query: Buffer): Buffer {
  return query.subarray(headerBytes, headerBytes + encoded(nameOf(query)).length + 4)
}

function typeOf(query: Buffer): number {
  return questionOf(query).readUInt16BE(questionOf(query).length - 4)
}

function written(query: Buffer, code: number, records: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(headerBytes)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, questionOf(query), ...records])
}

/** The head of an answer that is too long, without its records. */
function cut(message: Buffer): Buffer {
  const head = Buffer.from(message.subarray(0, headerBytes + questionOf(message).length))
  head.writeUInt16BE(head.readUInt16BE(2) | 0x0200, 2)
  head.writeUInt16BE(0, 6)
  return head
}

function record(name: string, type: number, ttl: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10)
  fields.writeUInt16BE(type, 0)
  fields.writeUInt16BE(1, 2)
  fields.writeUInt32BE(ttl, 4)
  fields.writeUInt16BE(data.length, 8)
  return Buffer.concat([encoded(name), fields, data])
}

function encoded(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.')
  const bytes = labels.map((label) =>
    Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]),
  )
  return Buffer.concat([...bytes, Buffer.from([0])])
}

function bytesOf(address: string): Buffer {
  return Buffer.from(ipaddr.parse(address).toByteArray())
}

function length(message: Buffer): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(message.length)
  return bytes
}
