import { arch } from 'node:os'
import { getSystemErrorName } from 'node:util'
import type { Family } from '../dial/hosts-file.ts'
import { readSocketAddress, writeSocketAddress } from './socket-address.ts'

type Ffi = typeof import('node:ffi')

const signatures = {
  socket: { arguments: ['int32', 'int32', 'int32'], return: 'int32' },
  setsockopt: { arguments: ['int32', 'int32', 'int32', 'pointer', 'uint32'], return: 'int32' },
  connect: { arguments: ['int32', 'pointer', 'uint32'], return: 'int32' },
  getpeername: { arguments: ['int32', 'pointer', 'pointer'], return: 'int32' },
  send: { arguments: ['int32', 'pointer', 'uint64', 'int32'], return: 'int64' },
  recvmsg: { arguments: ['int32', 'pointer', 'int32'], return: 'int64' },
  close: { arguments: ['int32'], return: 'int32' },
  clock_gettime: { arguments: ['int32', 'pointer'], return: 'int32' },
  __errno_location: { arguments: [], return: 'pointer' },
} as const

type Functions = ReturnType<typeof load>
const load = (ffi: Ffi) => ffi.dlopen(null, signatures).functions

/** A system call that failed; `code` is the system's own, as ENETUNREACH. */
export class KernelError extends Error {
  readonly code: string

  constructor(call: string, errno: number) {
    super(`${call} failed`)
    this.name = 'KernelError'
    this.code = getSystemErrorName(-errno)
  }
}

/** What a socket gave; its buffers are overwritten by the next call. */
export interface Received {
  readonly data: Buffer
  /** Null where the kernel names nobody. */
  readonly from: string | null
  readonly control: Buffer
}

/** Where each part of the one memory lies that the kernel reads and writes. */
const places = {
  message: 0,
  vector: 56,
  name: 72,
  nameLength: 104,
  time: 112,
  control: 128,
  data: 640,
} as const
const nameBytes = 28
const controlBytes = places.data - places.control
const memoryBytes = places.data + 2048

const dontWait = 0x40
const errorQueue = 0x2000
/** Non-blocking, and closed in children. */
const socketFlags = 0x800 | 0x80000
const domains: Readonly<Record<Family, number>> = { 4: 2, 6: 10 }

/**
 * The few system calls that a ping takes, of Linux on the machines whose constants and layouts are known. None of them
 * waits. @throws KernelError, each of them
 */
export class Kernel {
  readonly #functions: Functions
  readonly #ffi: Ffi
  readonly #memory = Buffer.alloc(memoryBytes)
  readonly #base: bigint

  constructor(ffi: Ffi) {
    this.#ffi = ffi
    this.#functions = load(ffi)
    this.#base = ffi.getRawPointer(this.#memory)
    const pointTo = (at: number, place: number) =>
      this.#memory.writeBigUInt64LE(this.#base + BigInt(place), at)
    pointTo(places.message, places.name)
    pointTo(places.message + 16, places.vector)
    this.#memory.writeBigUInt64LE(1n, places.message + 24)
    pointTo(places.message + 32, places.control)
    pointTo(places.vector, places.data)
    this.#memory.writeBigUInt64LE(BigInt(memoryBytes - places.data), places.vector + 8)
    this.#warmUp()
  }

  socket(family: Family, type: number, protocol: number): number {
    return this.#check('socket', this.#functions.socket(domains[family], type | socketFlags, protocol))
  }

  setOption(fd: number, level: number, option: number, value: Buffer): void {
    const result = this.#functions.setsockopt(fd, level, option, this.pointerTo(value), value.length)
    this.#check('setsockopt', result)
  }

  /** The caller holds `value` for as long as the kernel may read it. */
  pointerTo(value: Buffer): bigint {
    return this.#ffi.getRawPointer(value)
  }

  /** From then on the socket takes packets of this address only, and is told of errors on the way to it. */
  connect(fd: number, address: string): void {
    const length = writeSocketAddress(this.#memory, places.name, address)
    this.#check('connect', this.#functions.connect(fd, this.#at(places.name), length))
  }

  /** Whom the socket is connected to: 127.0.0.1 where that was 0.0.0.0. */
  peer(fd: number): string | null {
    this.#memory.writeUInt32LE(nameBytes, places.nameLength)
    const result = this.#functions.getpeername(fd, this.#at(places.name), this.#at(places.nameLength))
    this.#check('getpeername', result)
    return readSocketAddress(this.#memory, places.name)
  }

  send(fd: number, bytes: Buffer): void {
    const sent = this.#functions.send(fd, this.pointerTo(bytes), BigInt(bytes.length), dontWait)
    this.#check('send', Number(sent))
  }

  /** What lies ready at the socket, or in its queue of errors; null where there is nothing. */
  receive(fd: number, queue: 'messages' | 'errors'): Received | null {
    const memory = this.#memory
    memory.writeUInt32LE(nameBytes, places.message + 8)
    memory.writeBigUInt64LE(BigInt(controlBytes), places.message + 40)
    const flags = queue === 'errors' ? dontWait | errorQueue : dontWait
    const length = Number(this.#functions.recvmsg(fd, this.#at(places.message), flags))
    if (length < 0) {
      if (this.#errno() === 11) return null
      throw this.#error('recvmsg')
    }
    const named = memory.readUInt32LE(places.message + 8) > 0
    const controlLength = memory.readUInt32LE(places.message + 40)
    return {
      data: memory.subarray(places.data, places.data + length),
      from: named ? readSocketAddress(memory, places.name) : null,
      control: memory.subarray(places.control, places.control + controlLength),
    }
  }

  close(fd: number): void {
    this.#functions.close(fd)
  }

  /** Nanoseconds of the clock that the kernel stamps packets by. */
  nowNs(): bigint {
    this.#check('clock_gettime', this.#functions.clock_gettime(0, this.#at(places.time)))
    const seconds = this.#memory.readBigInt64LE(places.time)
    return seconds * 1_000_000_000n + this.#memory.readBigInt64LE(places.time + 8)
  }

  /** The first call of each takes longer than a ping on this machine: the first ping would be measured with it. */
  #warmUp(): void {
    this.nowNs()
    this.#functions.send(-1, this.#base, 0n, dontWait)
  }

  #at(place: number): bigint {
    return this.#base + BigInt(place)
  }

  #errno(): number {
    return this.#ffi.getInt32(this.#functions.__errno_location())
  }

  #error(call: string): KernelError {
    return new KernelError(call, this.#errno())
  }

  #check(call: string, result: number): number {
    if (result < 0) throw this.#error(call)
    return result
  }
}

/** Null where the runtime cannot call the system by itself, or its constants are not known. */
export function openKernel(): Kernel | null {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(arch())) return null
  try {
    const ffi = loadQuietly()
    return ffi ? new Kernel(ffi) : null
  } catch {
    // A runtime without it, or a libc without these functions: there are other ways to ping.
    return null
  }
}

/** The runtime warns of an experimental module once, on stderr: an operator can do nothing about that. */
function loadQuietly(): Ffi | undefined {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:ffi')
  } finally {
    process.emitWarning = emitWarning
  }
}
