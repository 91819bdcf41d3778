import { cancelledReason } from '../../../rules/session-status.ts'
import { finishRun } from '../../../storage/check-runs.ts'
import { listRunsOfSession } from '../../../storage/session-runs.ts'
import { lockSession, cancelSession as noteCancelled } from '../../../storage/sessions.ts'
import { found } from '../../http/api-error.ts'
import type { OnDemandOptions } from '../../on-demand/on-demand.ts'

export interface SessionToCancel {
  readonly accountId: string
  readonly kind: 'check' | 'test'
  readonly id: string
  /** Of the runs to call off; all of them without. */
  readonly runIds?: readonly string[] | undefined
}

/**
 * Calls open runs off: nobody claims them any more, and an agent that has one lets it go when it renews its lease. A
 * session that has ended stays as it is. @throws ApiError 404
 */
export async function cancelSession(
  { database, clock, planned }: OnDemandOptions,
  { accountId, kind, id, runIds }: SessionToCancel,
): Promise<void> {
  await database.transaction(async (db) => {
    const at = clock.now()
    found(await lockSession(db, accountId, kind, id), `${kind} session`)
    const open = (await listRunsOfSession(db, id)).filter(
      (run) => run.state !== 'done' && (runIds === undefined || runIds.includes(run.id)),
    )
    if (open.length === 0) return
    if (runIds === undefined) await noteCancelled(db, id, at)
    // In the order in which taking in results locks them.
    for (const run of open.toSorted((a, b) => (a.checkId < b.checkId ? -1 : 1)))
      await finishRun(db, run.id, { outcome: 'missed', reason: cancelledReason, at })
  })
  planned.signal()
}
