import { randomBytes } from 'node:crypto'
import type { Family } from '../dial/hosts-file.ts'
import { type PacketError, readControl } from './control-messages.ts'
import {
  echoRequest,
  quotedSequence,
  repliedSequence,
  replyTypes,
  tokenBytes,
  withoutIpHeader,
} from './echo-message.ts'
import { type Kernel, KernelError, type Received } from './kernel.ts'
import { idFilter } from './packet-filter.ts'

/** What came of an echo request. */
export type EchoEvent =
  | {
      readonly kind: 'reply'
      readonly sequence: number
      /** Nanoseconds since 1970, by the kernel. */
      readonly receivedNs: bigint
      readonly ttl: number | null
    }
  | { readonly kind: 'error'; readonly sequence: number; readonly error: PacketError }

/** `ping`: the kernel lets this group ping (net.ipv4.ping_group_range); `raw`: the process may make any packet. */
export type SocketKind = 'ping' | 'raw'

const protocols: Readonly<Record<Family, number>> = { 4: 1, 6: 58 }
const types: Readonly<Record<SocketKind, number>> = { ping: 2, raw: 3 }
/** [level, option] of ttl and errors on the way, each family's own. */
const options: Readonly<Record<Family, readonly (readonly [number, number])[]>> = {
  4: [
    [0, 12],
    [0, 11],
  ],
  6: [
    [41, 51],
    [41, 25],
  ],
}
const socketLevel = 1
const timestamps = 35
const attachFilter = 26
/** Of one reading: no other sender keeps this process busy. */
const maxEvents = 1000

/**
 * A socket of one check, which is given replies to its own echo requests only. Its replies wait in it, stamped by the
 * kernel, until they are read: a busy process loses none, and measures right.
 */
export class EchoSocket {
  readonly #kernel: Kernel
  readonly #fd: number
  readonly #family: Family
  readonly #kind: SocketKind
  readonly #token = randomBytes(tokenBytes)
  readonly #id = randomBytes(2).readUInt16BE(0)
  #peer: string | null = null

  /** @throws KernelError EACCES or EPERM where this is not permitted */
  constructor(kernel: Kernel, family: Family, kind: SocketKind) {
    this.#kernel = kernel
    this.#family = family
    this.#kind = kind
    this.#fd = kernel.socket(family, types[kind], protocols[family])
    try {
      this.#setUp()
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** @throws KernelError where the kernel knows no way to the address */
  connect(address: string): void {
    this.#kernel.connect(this.#fd, address)
    this.#peer = this.#kernel.peer(this.#fd)
  }

  /** Returns when it was sent, in nanoseconds since 1970. @throws KernelError */
  send(sequence: number): bigint {
    const request = echoRequest(this.#family, this.#id, sequence, this.#token)
    const sentNs = this.#kernel.nowNs()
    try {
      this.#kernel.send(this.#fd, request)
      return sentNs
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
    }
    // A socket tells of an error of an earlier packet by refusing the next one, once.
    const againNs = this.#kernel.nowNs()
    this.#kernel.send(this.#fd, request)
    return againNs
  }

  /** All that has come since the last reading. @throws KernelError */
  read(): EchoEvent[] {
    return [...take(() => this.#readError()), ...take(() => this.#readMessage())]
  }

  close(): void {
    this.#kernel.close(this.#fd)
  }

  #setUp(): void {
    const on = Buffer.alloc(4)
    on.writeUInt32LE(1)
    this.#kernel.setOption(this.#fd, socketLevel, timestamps, on)
    for (const [level, option] of options[this.#family]) this.#kernel.setOption(this.#fd, level, option, on)
    if (this.#kind !== 'raw') return
    const { program, header } = idFilter(this.#family, replyTypes[this.#family], this.#id)
    header.writeBigUInt64LE(this.#kernel.pointerTo(program), 8)
    this.#kernel.setOption(this.#fd, socketLevel, attachFilter, header)
  }

  #readError(): EchoEvent | 'foreign' | null {
    const received = this.#receive('errors')
    if (received === null) return null
    const { error } = readControl(received.control)
    // The kernel numbers the requests of a ping socket, and gives its errors to no other.
    const id = this.#kind === 'raw' ? this.#id : null
    const sequence = quotedSequence(this.#family, received.data, id)
    if (sequence === null) return 'foreign'
    return { kind: 'error', sequence, error: error ?? { code: 'EHOSTUNREACH', from: null } }
  }

  #readMessage(): EchoEvent | 'foreign' | null {
    const received = this.#receive('messages')
    if (received === null) return null
    const { data, from, control } = received
    const message = this.#kind === 'raw' && this.#family === 4 ? withoutIpHeader(data) : data
    const sequence = repliedSequence(this.#family, message, this.#token)
    if (sequence === null || from !== this.#peer) return 'foreign'
    const { receivedNs, ttl } = readControl(control)
    return { kind: 'reply', sequence, receivedNs: receivedNs ?? this.#kernel.nowNs(), ttl }
  }

  /** An error that the queue of errors tells of stands before the messages as well, once. */
  #receive(queue: 'messages' | 'errors'): Received | null {
    try {
      return this.#kernel.receive(this.#fd, queue)
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
    }
    return this.#kernel.receive(this.#fd, queue)
  }
}

function take(next: () => EchoEvent | 'foreign' | null): EchoEvent[] {
  const events: EchoEvent[] = []
  for (let count = 0; count < maxEvents; count += 1) {
    const event = next()
    if (event === null) break
    if (event !== 'foreign') events.push(event)
  }
  return events
}
