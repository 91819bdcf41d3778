// Writes runs that the bench's agent has claimed, with a lease that outlives the bench. Tells the parent when it is done.

import { batchesOf } from '../../src/storage/batches.ts'
import { openDatabase } from '../../src/storage/database.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { claimedRun, slotEveryMs } from './claimed-runs.ts'
import { accountId, agentId } from './settings.ts'

const [, , url = '', checks = '', slots = '', from = ''] = process.argv
const hourMs = 3_600_000

function* runRows(): Generator<Schema['checkRuns']> {
  for (let slot = 0; slot < Number(slots); slot += 1) {
    for (let check = 0; check < Number(checks); check += 1) {
      const run = claimedRun(check, slot, Number(from))
      yield {
        ...run,
        accountId,
        checkType: 'API',
        version: 1,
        slotLocation: null,
        dataCenter: 1,
        runtime: null,
        intervalMs: slotEveryMs,
        state: 'leased',
        attempt: 1,
        attemptAt: run.dueAt,
        firstStartedAt: null,
        agentId,
        leaseUntil: Date.now() + hourMs,
        outcome: null,
        reason: null,
        createdAt: run.dueAt,
        sessionId: null,
        definitionId: null,
        finishedAt: null,
      }
    }
  }
}

const database = await openDatabase(url)
await database.transaction(async (db) => {
  for (const batch of batchesOf([...runRows()])) await db.insertInto('checkRuns').values(batch).execute()
})
await database.close()
process.send?.({})
