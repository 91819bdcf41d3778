import type { IcmpEvidence } from '../../contract/checks/icmp/observation.ts'
import type { NetworkFailure } from '../../contract/failure.ts'
import { addressFamilyMissing, codeOf } from '../dial/dial-errors.ts'
import type { Family } from '../dial/hosts-file.ts'
import { failure, failureOf } from '../failures.ts'
import type { Refused } from './ping.ts'

/** So the system says that it has no address to send from: a ping has no port that could be missing. */
const familyCodes: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])
/** What this machine has too little of. */
const shortCodes: ReadonlySet<string> = new Set(['ENOBUFS', 'ENOMEM'])
const maxRefusals = 10

/** What an error of a ping means where none could be sent. */
export function pingError(error: unknown, family: Family): unknown {
  if (!(error instanceof Error) || !familyCodes.has(codeOf(error) ?? '')) return error
  return addressFamilyMissing(family === 6 ? 'IPv6' : 'IPv4', error)
}

/** Of a ping without a reply, whose requests somebody refused. @throws AppError where that was this machine's shortness */
export function refusalFailure({ code, from }: Refused): NetworkFailure {
  if (from === null && shortCodes.has(code)) {
    return failureOf(Object.assign(new Error('the request could not be sent'), { code }), 'firstByte')
  }
  const found = failure('unreachable', 'firstByte', code)
  return from === null ? found : { ...found, message: `${found.message}, says ${from}` }
}

/** Equal ones counted, in the order of their first. */
export function countRefusals(refused: readonly Refused[]): IcmpEvidence['refusals'] {
  const counted = new Map<string, IcmpEvidence['refusals'][number]>()
  for (const { code, from } of refused) {
    const key = `${code} ${from}`
    counted.set(key, { code, from, count: (counted.get(key)?.count ?? 0) + 1 })
  }
  return [...counted.values()].slice(0, maxRefusals)
}
