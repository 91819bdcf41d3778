import type { ApiCheck } from '../../../contract/checks/api/check.ts'
import { firstDueAfter, intervalMsOf, phaseMsOf } from '../../../rules/schedule.ts'
import type { Schema } from '../../../storage/schema.ts'
import { locationsOf } from '../../stored-check.ts'

type CheckRow = Schema['checks']

/** What storage and the scheduler keep of a definition. `check` has its secrets sealed. The phase is the check's own, so an update does not move it. */
export function toRow(
  check: ApiCheck,
  identity: { id: string; accountId: string; version: number; createdAt: number; updatedAt: number | null },
  now: number,
): CheckRow {
  const { frequency, frequencyOffset } = check
  const intervalMs = intervalMsOf(frequency, frequencyOffset)
  const phaseMs = phaseMsOf(identity.id, frequency, frequencyOffset)
  const runs = check.activated && locationsOf(check).length > 0
  return {
    ...identity,
    type: 'API',
    name: check.name,
    activated: check.activated ? 1 : 0,
    definition: JSON.stringify(check),
    url: check.request.url,
    intervalMs,
    phaseMs,
    nextDueAt: runs ? firstDueAfter({ intervalMs, phaseMs }, now) : null,
  }
}
