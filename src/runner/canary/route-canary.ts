import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import type { RouteAnswer } from '../../rules/own-fault.ts'

/** Root name servers: what is nowhere routed apart, as documentation addresses sometimes are. Nothing is sent to them. */
const anywhere = { IPv4: '198.41.0.4', IPv6: '2001:503:ba3e::2:30' } as const

export type FamilyName = keyof typeof anywhere

export const families: readonly FamilyName[] = ['IPv4', 'IPv6']

const familyOf = (address: string): FamilyName => (isIPv6(address) ? 'IPv6' : 'IPv4')

/** Those of the addresses, IPv4 first. */
export function familiesOf(addresses: readonly string[]): FamilyName[] {
  return [...new Set(addresses.map(familyOf))].sort()
}

const anyPort = 53

/** This process has no socket or port left. A port that was not asked for is in use only where all are. */
const outOfSockets: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRINUSE'])

/** Whether an error's code says that this process cannot open a socket at all. */
export function isOutOfSockets(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && outOfSockets.has(error.code)
}

/** Whether the kernel knows a way to an address: a UDP socket is connected, and nothing is sent. Never rejects. */
export function routeTo(address: string): Promise<RouteAnswer> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    const end = (answer: RouteAnswer) => {
      socket.removeAllListeners().on('error', () => {})
      socket.close(() => resolve(answer))
    }
    socket.once('error', (error) => end(isOutOfSockets(error) ? 'no-socket' : 'no-route'))
    socket.once('connect', () => end('route'))
    socket.connect(anyPort, address)
  })
}

/** Asks the kernel for one attempt after another: each takes a socket. */
export class RouteCanary {
  #last: Promise<unknown> = Promise.resolve()

  ask(addresses: readonly string[]): Promise<RouteAnswer> {
    const look = () => askForRoute(addresses)
    const answer = this.#last.then(look, look)
    this.#last = answer
    return answer
  }

  /** Whether this machine has a way to the world over any of these families. */
  askForAny(wanted: readonly FamilyName[]): Promise<RouteAnswer> {
    return this.ask(wanted.map((family) => anywhere[family]))
  }
}

/**
 * Whether this machine has a way to any of these addresses. Where it has none to them, but one to the rest of the world,
 * that is no lack of a route: an operator may close a net, and a router may not know it.
 */
async function askForRoute(addresses: readonly string[]): Promise<RouteAnswer> {
  // The routes of a network card whose cable is pulled may stay.
  const up = familiesOf(addresses).filter(isUp)
  const sendable = addresses.filter((address) => up.includes(familyOf(address)))
  for (const address of [...sendable, ...up.map((family) => anywhere[family])]) {
    const answer = await routeTo(address)
    if (answer !== 'no-route') return answer
  }
  return 'no-route'
}

function isUp(family: FamilyName): boolean {
  const addresses = interfaceAddresses()
  return addresses === null || addresses.some((address) => address.family === family && !address.internal)
}

/** Null where they cannot be read, which takes a socket, or a right that this process lacks. */
function interfaceAddresses(): NetworkInterfaceInfo[] | null {
  try {
    return Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  } catch {
    return null
  }
}
