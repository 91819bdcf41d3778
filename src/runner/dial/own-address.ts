import { isIPv6 } from 'node:net'
import { routeTo } from '../canary/route-canary.ts'
import { addressFamilyMissing, codeOf } from './dial-errors.ts'

/** So the system says that it has no address to connect from, and where all of its ports are in use. */
const codes: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** Null where an error says nothing of the addresses of this machine; else the target's, which may tell more. */
export function addressInDoubt(error: Error | null): string | null {
  if (error === null || !codes.has(codeOf(error) ?? '') || !('address' in error)) return null
  return typeof error.address === 'string' ? error.address : null
}

/** What such an error means: a UDP socket, which has ports of its own, is connected to the same address. */
export async function whyNoOwnAddress(error: Error, address: string): Promise<Error> {
  const answer = await routeTo(address)
  return answer === 'no-route' ? addressFamilyMissing(isIPv6(address) ? 'IPv6' : 'IPv4', error) : error
}
