import type { Kysely } from 'kysely'
import { isOpen } from './claimable-runs.ts'
import { engineOf } from './engine.ts'
import { inTransaction } from './in-transaction.ts'
import { lockRows } from './row-locks.ts'
import type { Schema } from './schema.ts'

/**
 * What all checks of an account share has changed: each gets a new version, and its open runs name it, so that agents
 * ask for the definition anew. The checks come before their runs: the order in which planning locks them, too.
 */
export function renewDefinitions(db: Kysely<Schema>, accountId: string): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx
      .updateTable('checks')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .where('accountId', '=', accountId)
      .execute()
    await tx
      // In the order of checks, as taking in results and renewing leases do: see heldRuns in check-runs.
      .with('open', (qb) =>
        qb
          .selectFrom('checkRuns')
          .select('id')
          .where('accountId', '=', accountId)
          .where(isOpen)
          .orderBy('checkId')
          .orderBy('dueAt')
          .orderBy('id')
          .$call(lockRows(engineOf(tx))),
      )
      .updateTable('checkRuns')
      .from('checks')
      .set((eb) => ({ version: eb.ref('checks.version') }))
      .whereRef('checks.id', '=', 'checkRuns.checkId')
      .where('checkRuns.id', 'in', (eb) => eb.selectFrom('open').select('open.id'))
      .execute()
  })
}
