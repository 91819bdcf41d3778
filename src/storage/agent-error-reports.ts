import type { Kysely } from 'kysely'
import { newId } from '../lib/ids.ts'
import type { Schema } from './schema.ts'

type AgentErrorReport = Omit<Schema['agentErrorReports'], 'id'>

export async function insertAgentErrorReport(db: Kysely<Schema>, report: AgentErrorReport): Promise<void> {
  await db
    .insertInto('agentErrorReports')
    .values({ ...report, id: newId() })
    .execute()
}

export async function deleteAgentErrorReportsBefore(db: Kysely<Schema>, before: number): Promise<void> {
  await db.deleteFrom('agentErrorReports').where('receivedAt', '<', before).execute()
}
