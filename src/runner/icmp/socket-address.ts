import ipaddr from 'ipaddr.js'

const domain4 = 2
const domain6 = 10

/** ICMP has no ports, and a socket without one does not tell whom it is connected to. */
const anyPort = 1

/** Writes a `sockaddr_in` or `sockaddr_in6` of Linux; returns how long it is. */
export function writeSocketAddress(memory: Buffer, at: number, address: string): number {
  const bytes = ipaddr.parse(address).toByteArray()
  const isV4 = bytes.length === 4
  const length = isV4 ? 16 : 28
  memory.fill(0, at, at + length)
  memory.writeUInt16LE(isV4 ? domain4 : domain6, at)
  memory.writeUInt16BE(anyPort, at + 2)
  memory.set(bytes, at + (isV4 ? 4 : 8))
  return length
}

/** Null for what is of neither family. */
export function readSocketAddress(memory: Buffer, at: number): string | null {
  const domain = memory.readUInt16LE(at)
  if (domain === domain4) return textOf(memory.subarray(at + 4, at + 8))
  return domain === domain6 ? textOf(memory.subarray(at + 8, at + 24)) : null
}

function textOf(bytes: Buffer): string {
  return ipaddr.fromByteArray([...bytes]).toString()
}
