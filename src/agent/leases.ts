import { loop } from '../lib/loop.ts'
import type { HeldRuns } from './held-runs.ts'
import type { ServiceClient } from './service-client.ts'
import type { ServiceClock } from './service-clock.ts'

export interface LeaseOptions {
  readonly agentId: string
  readonly held: HeldRuns
  readonly service: Pick<ServiceClient, 'renew' | 'release'>
  readonly clock: ServiceClock
  readonly onFailed: (error: unknown, retryInMs: number) => void
  /** No lease waits to be renewed any more, or there is none. */
  readonly onRenewed: () => void
  /** A third of a lease, so that two renewals may fail. */
  readonly everyMs?: number
}

const maxRunsACall = 10_000

const chunks = (ids: readonly string[]) =>
  Array.from({ length: Math.ceil(ids.length / maxRunsACall) }, (_, index) =>
    ids.slice(index * maxRunsACall, (index + 1) * maxRunsACall),
  )

/** Renews the leases of all leased runs until the signal ends it; a run that was lost is dropped, running or not. */
export function keepLeases(options: LeaseOptions, signal: AbortSignal): Promise<void> {
  const { agentId, held, service, clock, onFailed, onRenewed, everyMs = 20_000 } = options
  let first = true
  return loop({
    turn: async () => {
      if (first) {
        first = false
        return everyMs
      }
      for (const runIds of chunks(held.leasedIds)) {
        const asked = held.snapshot
        const { serverTime, lost } = await service.renew({ agentId, runIds }, signal)
        clock.observe(serverTime)
        held.lose(lost, asked)
      }
      onRenewed()
      return everyMs
    },
    onError: onFailed,
    signal,
    backoff: { baseMs: 500, maxMs: 5000 },
  })
}

/** Gives runs back. Never rejects: where the service cannot be told, their leases end by themselves. */
export async function releaseRuns(
  { agentId, service, onFailed }: Pick<LeaseOptions, 'agentId' | 'service' | 'onFailed'>,
  ids: readonly string[],
): Promise<void> {
  try {
    for (const runIds of chunks(ids)) await service.release({ agentId, runIds })
  } catch (error) {
    onFailed(error, 0)
  }
}
