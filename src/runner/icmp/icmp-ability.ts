import { spawnSync } from 'node:child_process'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Family } from '../dial/hosts-file.ts'
import { EchoSocket, type SocketKind } from './echo-socket.ts'
import { type Kernel, KernelError, openKernel } from './kernel.ts'
import type { Ping } from './ping.ts'
import { pingByProgram } from './ping-program.ts'
import { pingOver } from './socket-ping.ts'

/** The ways to ping, the best first. */
type IcmpWay = 'ping-socket' | 'raw-socket' | 'ping-program'

/** How this machine lets us ping; `why` is for its operator. */
export type IcmpAbility =
  | { readonly way: IcmpWay; readonly ping: (clock: Clock) => Ping }
  | { readonly way: 'none'; readonly why: string }

const kinds: readonly SocketKind[] = ['ping', 'raw']
const wayOf = { ping: 'ping-socket', raw: 'raw-socket' } as const satisfies Record<SocketKind, IcmpWay>

const notPermitted =
  'this machine does not let the agent ping: let its group open ping sockets (sysctl net.ipv4.ping_group_range), ' +
  'or give it the capability NET_RAW, or install a ping program that it may use'

/**
 * The kernel stamps packets as long as some socket asks for it, and takes a moment to begin: this one asks for it as long
 * as the process lives.
 */
let stamping: EchoSocket | null = null

/** Looks what is permitted, by trying it; takes a few milliseconds, and a process where no socket is to be had. */
export function icmpAbility(): IcmpAbility {
  const kernel = openKernel()
  const kind = kernel && kinds.find((one) => canOpen(kernel, 4, one) || canOpen(kernel, 6, one))
  if (kernel && kind) return { way: wayOf[kind], ping: (clock) => socketPing(kernel, kind, clock) }
  if (programWorks()) return { way: 'ping-program', ping: () => pingByProgram }
  return { way: 'none', why: notPermitted }
}

function socketPing(kernel: Kernel, kind: SocketKind, clock: Clock): Ping {
  return async (target, signal) => {
    const socket = openSocket(kernel, target.family, kind)
    return pingOver({ clock, socket, target, signal })
  }
}

/** @throws AppError ICMP_NOT_PERMITTED, KernelError */
function openSocket(kernel: Kernel, family: Family, kind: SocketKind): EchoSocket {
  try {
    return new EchoSocket(kernel, family, kind)
  } catch (cause) {
    const denied = cause instanceof KernelError && ['EACCES', 'EPERM'].includes(cause.code)
    throw denied ? new AppError('ICMP_NOT_PERMITTED', notPermitted, { cause }) : cause
  }
}

function canOpen(kernel: Kernel, family: Family, kind: SocketKind): boolean {
  try {
    const socket = new EchoSocket(kernel, family, kind)
    if (stamping) socket.close()
    else stamping = socket
    return true
  } catch (error) {
    if (error instanceof KernelError) return false
    throw error
  }
}

/** Asked once, at the start: nothing else runs then. */
function programWorks(): boolean {
  const options = { timeout: 3000, stdio: 'ignore', env: { PATH: process.env['PATH'] } } as const
  const targets = ['127.0.0.1', '::1']
  return targets.some((target) => spawnSync('ping', ['-n', '-c', '1', target], options).status === 0)
}
