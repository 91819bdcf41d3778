import type { Family } from '../dial/hosts-file.ts'

/** Header and payload, as `ping` sends unless told. */
export const echoBytes = 64
const headerBytes = 8
/** What tells our own echoes from all others. */
export const tokenBytes = 16

const requestType: Readonly<Record<Family, number>> = { 4: 8, 6: 128 }
export const replyTypes: Readonly<Record<Family, number>> = { 4: 0, 6: 129 }

/** An echo request (RFC 792; RFC 4443 §4.1). The checksum of ICMPv6 is the kernel's to fill in. */
export function echoRequest(family: Family, id: number, sequence: number, token: Buffer): Buffer {
  const message = Buffer.alloc(echoBytes)
  message.writeUInt8(requestType[family], 0)
  message.writeUInt16BE(id, 4)
  message.writeUInt16BE(sequence, 6)
  token.copy(message, headerBytes, 0, tokenBytes)
  for (let at = headerBytes + tokenBytes; at < echoBytes; at += 1) message[at] = at
  if (family === 4) message.writeUInt16BE(checksum(message), 2)
  return message
}

/** The sequence of a reply to one of ours, or null. */
export function repliedSequence(family: Family, message: Buffer, token: Buffer): number | null {
  if (message.length < headerBytes + tokenBytes || message[0] !== replyTypes[family]) return null
  const told = message.subarray(headerBytes, headerBytes + tokenBytes)
  return told.equals(token) ? message.readUInt16BE(6) : null
}

/** The sequence of a request that an error quotes, of which no more than its header need be there; or null. */
export function quotedSequence(family: Family, quoted: Buffer, id: number | null): number | null {
  if (quoted.length < headerBytes || quoted[0] !== requestType[family]) return null
  return id === null || quoted.readUInt16BE(4) === id ? quoted.readUInt16BE(6) : null
}

/** A raw socket of IPv4 gives the IP header as well. */
export function withoutIpHeader(packet: Buffer): Buffer {
  return packet.subarray(((packet[0] ?? 0) & 0xf) * 4)
}

/** RFC 1071. */
function checksum(message: Buffer): number {
  let sum = 0
  for (let at = 0; at < message.length; at += 2) sum += message.readUInt16BE(at)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}
