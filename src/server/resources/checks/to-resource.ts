import type { Kysely } from 'kysely'
import type { TypedCheck } from '../../../contract/check-schemas.ts'
import type { AnyCheck } from '../../../contract/checks/any-check.ts'
import type { CheckResource } from '../../../contract/resources/check.ts'
import type { CheckGroup } from '../../../contract/resources/check-group.ts'
import { dateText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import { effectiveApiCheck, effectiveCheck } from '../../../rules/effective-check.ts'
import type { Schema } from '../../../storage/schema.ts'
import { alertsOfChecks } from '../../alerts/alerts-of-checks.ts'
import { hideSecrets } from '../../secrets/stored-variables.ts'
import { groupsOf, storedCheck } from '../../stored/stored-check.ts'

type CheckRow = Schema['checks']

/** Where the rest of a check is found. */
export interface Sources {
  readonly db: Kysely<Schema>
  readonly sealer: Sealer
  /** Where pings are sent to, without a path. */
  readonly publicOrigin: () => string
}

/** What was sent, with the group's settings over it. */
function settings(typed: TypedCheck, group: CheckGroup | null, publicOrigin: () => string): object {
  const shownGroup = group && hideSecrets(group)
  if (typed.type === 'API') return effectiveApiCheck(hideSecrets(typed.check), shownGroup)
  if (typed.type !== 'HEARTBEAT') return effectiveCheck(hideSecrets<AnyCheck>(typed.check), shownGroup)
  const check = effectiveCheck(hideSecrets(typed.check), shownGroup)
  const pingUrl = `${publicOrigin()}/heartbeats/ping/${check.heartbeat.pingToken}`
  return { ...check, heartbeat: { ...check.heartbeat, pingUrl } }
}

/**
 * What was sent, un-normalised and without the values of secrets, beside what the service adds (semantics §2); each as it
 * runs in its group where that is asked for. All of one account.
 */
export async function toResources(
  sources: Sources,
  rows: readonly CheckRow[],
  applyGroupSettings = false,
): Promise<CheckResource[]> {
  const groupOf = await groupsOf(sources.db, applyGroupSettings ? rows : [])
  const ids = rows.map(({ id }) => id)
  const alertsOf = await alertsOfChecks(sources, rows[0]?.accountId ?? '', ids)
  return rows.map((row) => {
    const typed = storedCheck(row)
    return {
      ...settings(typed, groupOf(row), sources.publicOrigin),
      id: row.id,
      checkType: typed.type,
      ...alertsOf(row.id),
      created_at: dateText(row.createdAt),
      updated_at: dateTimeTextOrNull(row.updatedAt),
    }
  })
}

/** As toResources. */
export async function toResource(
  sources: Sources,
  row: CheckRow,
  applyGroupSettings = false,
): Promise<CheckResource> {
  const [resource] = await toResources(sources, [row], applyGroupSettings)
  if (!resource) throw new Error('no resource of a row')
  return resource
}
