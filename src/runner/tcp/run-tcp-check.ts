import type { TcpEvidence } from '../../contract/checks/tcp/observation.ts'
import type { TcpRequest } from '../../contract/checks/tcp/request.ts'
import type { DefinitionOf } from '../../contract/run.ts'
import { fillFields, tcpTemplates } from '../../rules/template/fill-fields.ts'
import { unboundedMemory } from '../body-memory.ts'
import type { Circumstances } from '../circumstances.ts'
import { hostToDial } from '../dial/host-to-dial.ts'
import { failure, unfilled } from '../failures.ts'
import { PhaseTimer } from '../phase-timer.ts'
import { TcpAttempt, type TcpCheckOptions } from './tcp-attempt.ts'
import { type TcpSeen, unsuccessful } from './tcp-seen.ts'

type RunTcpCheck = (
  definition: DefinitionOf<'TCP'>,
  signal: AbortSignal,
  circumstances?: Circumstances,
) => Promise<TcpSeen>

/**
 * One attempt at one TCP check. Rejects with the signal's reason when the signal ends it, and with AppError when the fault
 * is our own.
 */
export function createTcpCheck(options: TcpCheckOptions): RunTcpCheck {
  const { clock, templates } = options
  return (definition, signal, { memory = unboundedMemory, freshDns = false } = {}) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const { request: defined, variables, maxResponseTimeMs } = definition
      const filled = fillFields(defined, tcpTemplates, variables, templates)
      const request = filled.kind === 'filled' ? filled.request : defined
      const hostname = hostToDial(request.hostname)
      if (filled.kind === 'filled' && hostname !== null) {
        const attempt = { ...options, request, hostname, maxResponseTimeMs, signal, memory, freshDns }
        new TcpAttempt({ ...attempt, resolve, reject }).start()
      } else {
        const cause = filled.kind === 'filled' ? failure('invalid-request', null) : unfilled(filled)
        resolve(unsuccessful(cause, new PhaseTimer(clock).timings(), unsent(request)))
      }
    })
}

function unsent({ hostname, port }: TcpRequest): TcpEvidence {
  return { hostname, port, remoteAddress: null, addresses: [], sentBytes: 0, received: null }
}
