import { getSystemErrorName } from 'node:util'
import { readSocketAddress } from './socket-address.ts'

/** What the kernel says of a packet. */
export interface PacketFacts {
  /** When it came, in nanoseconds since 1970; null where the kernel did not stamp it. */
  readonly receivedNs: bigint | null
  readonly ttl: number | null
  readonly error: PacketError | null
}

/** Why a packet of ours did not arrive. */
export interface PacketError {
  /** The system's own, as EHOSTUNREACH; TTL_EXCEEDED where it went around for too long. */
  readonly code: string
  /** The router or host that said so; null where the kernel did itself. */
  readonly from: string | null
}

const socketLevel = 1
const ipLevel = 0
const ip6Level = 41
const timestamp = 35
const ttl4 = 2
const ttl6 = 52
const error4 = 11
const error6 = 25
const headerBytes = 16

/** Reads the control messages of one packet (cmsg(3)). */
export function readControl(control: Buffer): PacketFacts {
  let facts: PacketFacts = { receivedNs: null, ttl: null, error: null }
  let at = 0
  while (at + headerBytes <= control.length) {
    const length = control.readUInt32LE(at)
    if (length < headerBytes) break
    const level = control.readInt32LE(at + 8)
    const type = control.readInt32LE(at + 12)
    facts = { ...facts, ...readOne(level, type, control.subarray(at + headerBytes, at + length)) }
    at += Math.ceil(length / 8) * 8
  }
  return facts
}

function readOne(level: number, type: number, data: Buffer): Partial<PacketFacts> {
  if (level === socketLevel && type === timestamp && data.length >= 16) {
    return { receivedNs: data.readBigInt64LE(0) * 1_000_000_000n + data.readBigInt64LE(8) }
  }
  const isTtl = (level === ipLevel && type === ttl4) || (level === ip6Level && type === ttl6)
  if (isTtl && data.length >= 4) return { ttl: data.readInt32LE(0) }
  const isError = (level === ipLevel && type === error4) || (level === ip6Level && type === error6)
  return isError && data.length >= 16 ? { error: readError(data) } : {}
}

const fromIcmp = 2
const fromIcmp6 = 3

/** `sock_extended_err`, and whom it came from (ip(7)). */
function readError(data: Buffer): PacketError {
  const [origin, type] = [data[4], data[5]]
  const expired = (origin === fromIcmp && type === 11) || (origin === fromIcmp6 && type === 3)
  const named = (origin === fromIcmp && data.length >= 32) || (origin === fromIcmp6 && data.length >= 44)
  return {
    code: expired ? 'TTL_EXCEEDED' : getSystemErrorName(-data.readUInt32LE(0)),
    from: named ? readSocketAddress(data, 16) : null,
  }
}
