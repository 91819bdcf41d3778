import type { Clock } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/sealing.ts'
import type { Database } from '../../storage/database.ts'
import type { App } from '../http/app-type.ts'
import { WakeUp } from '../wake-up.ts'

/** What is needed to run something because somebody asked for it, and to wait until it is over. */
export interface OnDemandOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
  /** What the service is reached by, without a slash at the end; empty while it does not listen. */
  readonly origin: () => string
  /** Told of runs that were planned in this process, and tells of those that ended in it. */
  readonly planned: WakeUp
  /** Ends the waits of long polls when the service stops. */
  readonly closing: AbortSignal
  /** When this service began, in epoch milliseconds: agents have some time from then on to come back. */
  readonly startedAt: number
}

interface Given extends Pick<OnDemandOptions, 'database' | 'clock' | 'sealer'> {
  readonly publicOrigin?: string | undefined
  readonly planned?: WakeUp | undefined
  readonly closing?: AbortSignal | undefined
}

/** Waits of a scope that is told of neither end with the scope, and look for themselves. */
export function onDemandOptions(app: App, given: Given): OnDemandOptions {
  const { database, clock, sealer, publicOrigin, planned = new WakeUp() } = given
  const stopping = new AbortController()
  app.addHook('preClose', async () => stopping.abort())
  return {
    database,
    clock,
    sealer,
    planned,
    origin: () => publicOrigin ?? (app.server.listening ? app.listeningOrigin : ''),
    closing: given.closing ? AbortSignal.any([given.closing, stopping.signal]) : stopping.signal,
    startedAt: clock.now(),
  }
}
