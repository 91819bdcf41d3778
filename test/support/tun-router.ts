import { execFileSync, spawn } from 'node:child_process'
import { constants, openSync, readSync, writeSync } from 'node:fs'

// Runs in a network namespace of its own: stands for a network with routers and hosts behind a TUN device, and starts the
// command that pings them. What a host does is said by the last byte of its address.

const attach = 0x4004_54ca
const tunWithoutHeader = 0x1001
const router4 = [10, 9, 0, 254]
const router6 = [0xfd, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 254]

interface Request {
  readonly packet: Buffer
  readonly isV4: boolean
  readonly source: Buffer
  readonly target: Buffer
  /** Of ICMP. */
  readonly message: Buffer
  readonly sequence: number
}

const answers: Readonly<Record<number, (request: Request) => void>> = {
  1: reply,
  2: (request) => setTimeout(() => reply(request), 40),
  // Loses every third.
  3: (request) => request.sequence % 3 !== 0 && reply(request),
  4: () => {},
  5: (request) => {
    reply(request)
    setTimeout(() => reply(request), 300)
  },
  6: (request) => reply({ ...request, target: Buffer.from(request.isV4 ? router4 : router6) }),
  7: (request) => refuse(request, request.isV4 ? [3, 1] : [1, 3]),
  8: (request) => refuse(request, request.isV4 ? [11, 0] : [3, 0]),
  // Not what was sent.
  9: (request) => reply({ ...request, message: Buffer.from(request.message).fill(0, 8, 24) }),
  10: (request) => setTimeout(() => reply(request), 2100),
  11: (request) => reply({ ...request, message: request.message.subarray(0, 8) }),
  // The first comes after the second.
  12: (request) => setTimeout(() => reply(request), request.sequence === 1 ? 700 : 0),
  // Loses the first, and refuses the second.
  13: (request) => {
    if (request.sequence === 2) answers[7]?.(request)
    else if (request.sequence > 2) reply(request)
  },
}

function reply({ isV4, source, target, message }: Request): void {
  const answer = Buffer.from(message)
  answer.writeUInt8(isV4 ? 0 : 129, 0)
  send(isV4, target, source, answer)
}

/** Quotes the packet, as much as an old router does: its IP header and 8 bytes. */
function refuse({ isV4, source, packet }: Request, [type = 0, code = 0]: readonly number[]): void {
  const quoted = packet.subarray(0, isV4 ? 28 : 48)
  const message = Buffer.concat([Buffer.from([type, code, 0, 0, 0, 0, 0, 0]), quoted])
  send(isV4, Buffer.from(isV4 ? router4 : router6), source, message)
}

function send(isV4: boolean, source: Buffer, target: Buffer, message: Buffer): void {
  message.writeUInt16BE(0, 2)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(message.length)
  const pseudo = Buffer.concat([source, target, length, Buffer.from([0, 0, 0, 58])])
  message.writeUInt16BE(checksum(isV4 ? message : Buffer.concat([pseudo, message])), 2)
  const head = isV4 ? Buffer.alloc(20) : Buffer.alloc(40)
  if (isV4) {
    head.set([0x45, 0, 0, 0, 0, 0, 0, 0, 57, 1])
    head.writeUInt16BE(20 + message.length, 2)
    head.set([...source, ...target], 12)
    head.writeUInt16BE(checksum(head), 10)
  } else {
    head.set([0x60, 0, 0, 0, 0, 0, 58, 57, ...source, ...target])
    head.writeUInt16BE(message.length, 4)
  }
  writeSync(device, Buffer.concat([head, message]))
}

function checksum(bytes: Buffer): number {
  let sum = 0
  for (let at = 0; at < bytes.length; at += 1) sum += (bytes[at] ?? 0) << (at % 2 === 0 ? 8 : 0)
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}

/** Null for all that is no echo request. */
function requestIn(packet: Buffer): Request | null {
  const isV4 = (packet[0] ?? 0) >> 4 === 4
  const message = Buffer.from(packet.subarray(isV4 ? 20 : 40))
  const protocol = isV4 ? packet[9] : packet[6]
  if (protocol !== (isV4 ? 1 : 58) || message[0] !== (isV4 ? 8 : 128)) return null
  const [from, size] = isV4 ? [12, 4] : [8, 16]
  const source = packet.subarray(from, from + size)
  const target = packet.subarray(from + size, from + 2 * size)
  return { packet, isV4, source, target, message, sequence: message.readUInt16BE(6) }
}

function openDevice(name: string): number {
  const fd = openSync('/dev/net/tun', constants.O_RDWR | constants.O_NONBLOCK)
  const request = Buffer.alloc(40)
  request.write(name)
  request.writeUInt16LE(tunWithoutHeader, 16)
  const ffi = process.getBuiltinModule('node:ffi')
  const { functions } = ffi.dlopen(null, {
    ioctl: { arguments: ['int32', 'uint64', 'pointer'], return: 'int32' },
  })
  if (functions.ioctl(fd, BigInt(attach), ffi.getRawPointer(request)) < 0) throw new Error('no TUN device')
  return fd
}

/** The device is not waited at: a thread that waits there would not let the process end. */
function listen(): void {
  const packet = Buffer.alloc(2048)
  for (let length = receive(packet); length > 0; length = receive(packet)) {
    const request = requestIn(Buffer.from(packet.subarray(0, length)))
    if (request) answers[request.target.at(-1) ?? 0]?.(request)
  }
}

function receive(packet: Buffer): number {
  try {
    return readSync(device, packet)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0
    throw error
  }
}

const device = openDevice('tun0')
for (const change of [
  'addr add 10.9.0.200/24 dev tun0',
  '-6 addr add fd09::200/64 dev tun0 nodad',
  'link set tun0 up',
]) {
  execFileSync('ip', change.split(' '))
}
setInterval(listen, 1)
const [command = 'true', ...rest] = process.argv.slice(2)
spawn(command, rest, { stdio: 'inherit' }).once('exit', (code) => process.exit(code ?? 1))
