import type { NetworkFailure } from '../../contract/failure.ts'
import type { Phase } from '../../contract/timings.ts'
import { DialError } from '../dial/dial-errors.ts'
import { failure, failureOf } from '../failures.ts'
import { DnsFault } from './dns-fault.ts'

/**
 * What an error says of the name server that was asked. Where that is the agent's own (`isOwn`), it is the agent that cannot
 * look anything up, which may be its own fault.
 * @throws AppError when the fault is our own, as `failureOf`
 */
export function dnsFailure(error: Error, phase: Phase | null, isOwn: boolean): NetworkFailure {
  if (error instanceof DnsFault) {
    return { ...failure(error.failureClass, phase, error.code), message: error.message }
  }
  // The policy judges what a lookup finds: this is no failure of the lookup.
  if (error instanceof DialError) return { ...failureOf(error, null), phase }
  if (isOwn) return { ...failureOf(error, 'dns'), phase }
  return failureOf(error, phase)
}

/** The question is none that could be sent. */
export const unaskable: NetworkFailure = {
  ...failure('invalid-request', null),
  message: 'The query is not a name that could be asked for',
}

/** Of a time-out: answers to other questions came instead. */
export function withUnfit(message: string, unfit: number): string {
  if (unfit === 0) return message
  return `${message}; ${unfit === 1 ? 'one answer' : `${unfit} answers`} did not fit the question`
}
