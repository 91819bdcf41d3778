import type { Kysely } from 'kysely'
import { foldStatus } from '../../src/rules/status.ts'
import { readCheck } from '../../src/server/resources/checks/read-check.ts'
import { toRow } from '../../src/server/resources/checks/to-row.ts'
import { saveStatuses } from '../../src/storage/check-statuses.ts'
import { insertCheck } from '../../src/storage/checks.ts'
import type { Database } from '../../src/storage/database.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { progress } from '../support/progress.ts'
import { checkBody, daily, tagsOfChecks } from './operations.ts'
import { accountId } from './settings.ts'
import { resultsOfCheck, type StoredPlan, startOf } from './stored-plan.ts'
import { checkIdOf, locations, timedId, urlOf } from './stored-result.ts'

const checksATransaction = 1000
const everyTenSeconds = { frequency: 0, frequencyOffset: 10 }

/**
 * The checks and their statuses. With a target of their own they run every ten seconds, but not before somebody sets
 * their `nextDueAt`.
 */
export async function writeChecks(database: Database, plan: StoredPlan, targetUrl: string): Promise<void> {
  for (let first = 0; first < plan.checks; first += checksATransaction) {
    await database.transaction(async (db) => {
      const last = Math.min(plan.checks, first + checksATransaction)
      for (let check = first; check < last; check += 1) await writeCheck(db, plan, check, targetUrl)
    })
    progress(`${database.engine}: checks: ${first} of ${plan.checks}`)
  }
}

async function writeCheck(
  db: Kysely<Schema>,
  plan: StoredPlan,
  check: number,
  targetUrl: string,
): Promise<void> {
  const id = checkIdOf(check)
  const tags = ['shop', `tag-${check % tagsOfChecks}`]
  const url = targetUrl === '' ? urlOf(check) : targetUrl
  const typed = readCheck(
    'API',
    checkBody(`Shop ${check}`, url, tags, targetUrl === '' ? daily : everyTenSeconds),
  )
  const identity = { id, accountId, version: 1, createdAt: plan.from + check, updatedAt: null }
  const row = toRow(typed, null, identity, Date.now())
  await insertCheck(db, targetUrl === '' ? row : { ...row, nextDueAt: null }, { tags, locations })
  await writeStatus(db, plan, check)
}

async function writeStatus(db: Kysely<Schema>, plan: StoredPlan, check: number): Promise<void> {
  const n = resultsOfCheck(plan, check) - 1
  const at = startOf(plan, check, n)
  const status = foldStatus(null, {
    kind: 'judged',
    state: 'passing',
    resultId: timedId(at, check, n, 1),
    runId: timedId(at, check, n, 2),
    location: locations[n % locations.length] ?? '',
    dueAt: at,
    runParallel: false,
    locations,
    responseTimeMs: 120 + (check % 100),
    sslDaysRemaining: 61,
  })
  await saveStatuses(db, [
    {
      checkId: checkIdOf(check),
      accountId,
      status: JSON.stringify(status),
      hasFailures: 0,
      hasErrors: 0,
      isDegraded: 0,
      createdAt: plan.from,
      updatedAt: at,
    },
  ])
}
