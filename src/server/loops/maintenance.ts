import type { Kysely } from 'kysely'
import type { MaintenanceWindowBody } from '../../contract/resources/maintenance-window.ts'
import { type TaggedMaintenance, underMaintenance } from '../../rules/maintenance.ts'
import { maintenanceOf } from '../../rules/maintenance-window.ts'
import { listDocumentsOfAccounts } from '../../storage/documents-of-accounts.ts'
import type { Schema } from '../../storage/schema.ts'

/** Whether a check with these tags, its own and its group's, is under maintenance at an instant (epoch ms). */
export type IsUnderMaintenance = (accountId: string, tags: ReadonlySet<string>, instantMs: number) => boolean

/** By the windows of these checks' accounts as they are now: they are read once. */
export async function maintenanceOfAccounts(
  db: Kysely<Schema>,
  checks: readonly Pick<Schema['checks'], 'accountId'>[],
): Promise<IsUnderMaintenance> {
  const windowsOf = await windowsOfAccounts(db, checks)
  return (accountId, tags, instantMs) => underMaintenance(windowsOf(accountId), tags, instantMs)
}

/** Finds the windows of each of these checks' accounts as they are now: they are read once. */
export async function windowsOfAccounts(
  db: Kysely<Schema>,
  checks: readonly Pick<Schema['checks'], 'accountId'>[],
): Promise<(accountId: string) => readonly TaggedMaintenance[]> {
  const accountIds = checks.map(({ accountId }) => accountId)
  const rows = await listDocumentsOfAccounts(db, 'maintenance-window', accountIds)
  const windows = Map.groupBy(rows, ({ accountId }) => accountId)
  const opened = new Map([...windows].map(([accountId, own]) => [accountId, own.map(storedMaintenance)]))
  return (accountId) => opened.get(accountId) ?? []
}

/** The definition was validated before it was written, and is written nowhere else. */
function storedMaintenance({ definition }: Schema['documents']): TaggedMaintenance {
  return maintenanceOf(JSON.parse(definition) as MaintenanceWindowBody)
}
