import type { TcpEvidence, TcpObservation } from '../../contract/checks/tcp/observation.ts'
import type { NetworkFailure } from '../../contract/failure.ts'
import type { Seen } from '../../contract/outcome.ts'
import type { Timings } from '../../contract/timings.ts'
import { isTimeout } from '../failures.ts'

export type TcpSeen = Seen<TcpObservation, TcpEvidence>

/** Of an attempt without what it was made for. */
export function unsuccessful(cause: NetworkFailure, timings: Timings, evidence: TcpEvidence): TcpSeen {
  return isTimeout(cause) && cause.phase !== null
    ? { kind: 'timed-out', timings, during: cause.phase, cause, evidence }
    : { kind: 'unreachable', timings, cause, evidence }
}
