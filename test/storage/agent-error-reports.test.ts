import { expect, test } from 'vitest'
import {
  deleteAgentErrorReportsBefore,
  insertAgentErrorReport,
} from '../../src/storage/agent-error-reports.ts'
import { forEachEngine } from '../support/databases.ts'
import { t0 } from '../support/storage-rows.ts'

const report = {
  accountId: null,
  location: 'eu-west-1',
  message: 'OUTBOX_FULL',
  stack: 'at outbox.ts:1',
  agentVersion: '1.0.0',
  platform: 'linux x64',
  runtimeVersion: 'v26.10.0',
  receivedAt: t0,
}

forEachEngine((_engine, open) => {
  test('keeps every report, also two that are alike, until it is too old', async () => {
    const { kysely: db } = await open()
    for (const receivedAt of [t0, t0, t0 - 1]) await insertAgentErrorReport(db, { ...report, receivedAt })
    await deleteAgentErrorReportsBefore(db, t0)
    const rows = await db.selectFrom('agentErrorReports').selectAll().execute()
    expect(rows.map(({ id: _id, ...row }) => row)).toEqual([report, report])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2)
  })
})
