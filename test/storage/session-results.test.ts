import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { insertResults } from '../../src/storage/check-results.ts'
import { deleteCheck } from '../../src/storage/checks.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { listResultsOfRuns } from '../../src/storage/session-results.ts'
import { insertSessions, listTestSessionsAfter } from '../../src/storage/sessions.ts'
import { findTestResult } from '../../src/storage/test-results.ts'
import {
  deleteTrigger,
  findTrigger,
  findTriggerByToken,
  insertTrigger,
  noteTriggerCall,
} from '../../src/storage/triggers.ts'
import { forEachEngine } from '../support/databases.ts'
import { plansOf } from '../support/query-plans.ts'
import { addAccount, addCheck, resultRow, runRow, t0 } from '../support/storage-rows.ts'

const resultOf = (run: Schema['checkRuns'], changes: Partial<Schema['checkResults']> = {}) => {
  const { accountId, definitionId, checkId, id: runId, dueAt } = run
  return resultRow({
    accountId,
    checkId: definitionId ?? checkId,
    runId,
    dueAt,
    startedAt: dueAt,
    ...changes,
  })
}

forEachEngine((engine, open) => {
  test('of a run its FINAL result is told, under the id that its definition goes by', async () => {
    const database = await open()
    const db = database.kysely
    const own = runRow({ checkId: 'a', location: 'eu-west-1' })
    const tested = runRow({ checkId: 'a', location: 'eu-west-2', definitionId: 'd' })
    const other = runRow({ checkId: 'a', location: 'us-east-1' })
    const results = [own, tested, other].map((run) => resultOf(run))
    const attempt = resultOf(own, { resultType: 'ATTEMPT' })
    for (const row of [...results, attempt]) await insertResults(db, [row])
    const ids = (await listResultsOfRuns(db, [own, tested], t0)).map(({ id }) => id)
    expect(ids.toSorted()).toEqual([results[0]?.id, results[1]?.id].toSorted())
    expect(await listResultsOfRuns(db, [], t0)).toEqual([])
    expect(await findTestResult(db, tested)).toEqual(results[1])
    expect(await findTestResult(db, { ...tested, id: newId() })).toBeUndefined()
  })

  test('results of runs are found by an index, however many a check has', async () => {
    const database = await open()
    const plans = await plansOf(database, (db) => listResultsOfRuns(db, [runRow()], t0))
    expect(plans.join('\n'), engine).toMatch(/USING INDEX|Index Scan|Bitmap/)
    expect(plans.join('\n'), engine).not.toMatch(/SCAN check_results\b(?! USING)|Seq Scan/)
  })

  test('lists the tests of an account newest first, from cursor to cursor, by window and name', async () => {
    const database = await open()
    const db = database.kysely
    const [ours, theirs] = [await addAccount(database), await addAccount(database)]
    const row = (accountId: string, name: string, startedAt: number, kind: 'test' | 'check' = 'test') => ({
      id: newId(),
      accountId,
      kind,
      checkId: null,
      name,
      runSource: null,
      definition: '{}',
      startedAt,
      cancelledAt: null,
    })
    const rows = [row(ours, 'a 50%', t0), row(ours, 'b', t0 + 1), row(ours, 'c', t0 + 2)]
    await insertSessions(db, [...rows, row(theirs, 'd', t0), row(ours, 'e', t0, 'check')])
    const names = async (filter: object, cursor: { startedAt: number; id: string } | null = null) =>
      (await listTestSessionsAfter(db, ours, filter, cursor, 2)).map(({ name }) => name)
    expect(await names({})).toEqual(['c', 'b'])
    expect(await names({}, { startedAt: t0 + 1, id: rows[1]?.id ?? '' })).toEqual(['a 50%'])
    expect(await names({ from: t0 + 1, to: t0 + 1 })).toEqual(['b'])
    expect(await names({ search: '0%' })).toEqual(['a 50%'])
    const [plan] = await plansOf(database, (tx) => listTestSessionsAfter(tx, ours, {}, null, 2))
    expect(plan).toContain('sessions_newest')
  })

  test('a trigger is found by its token and by its check, and goes with it', async () => {
    const database = await open()
    const db = database.kysely
    const accountId = await addAccount(database)
    const { id: checkId } = await addCheck(database, accountId)
    const times = { createdAt: t0, calledAt: null, updatedAt: null }
    const row = { id: 1, accountId, checkId, groupId: null, token: 'token', ...times }
    await insertTrigger(db, row)
    expect(await findTriggerByToken(db, 'token')).toEqual(row)
    expect(await findTrigger(db, accountId, { checkId })).toEqual(row)
    expect(await findTrigger(db, 'another', { checkId })).toBeUndefined()
    await expect(insertTrigger(db, { ...row, id: 2, token: 'second' })).rejects.toThrow()
    await noteTriggerCall(db, 1, t0 + 5)
    expect(await findTriggerByToken(db, 'token')).toEqual({ ...row, calledAt: t0 + 5 })
    await deleteTrigger(db, 1)
    expect(await findTriggerByToken(db, 'token')).toBeUndefined()
    await insertTrigger(db, row)
    await deleteCheck(db, accountId, checkId)
    expect(await findTriggerByToken(db, 'token')).toBeUndefined()
  })
})
