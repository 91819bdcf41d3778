import type { TypedCheck } from '../../../contract/check-schemas.ts'
import type { AnyCheck } from '../../../contract/checks/any-check.ts'
import type { CheckGroup } from '../../../contract/resources/check-group.ts'
import { periodMsOf } from '../../../rules/heartbeat.ts'
import { firstDueAfter, intervalMsOf, phaseMsOf, type Schedule, spread } from '../../../rules/schedule.ts'
import type { Schema } from '../../../storage/schema.ts'
import { flagOf } from '../../../storage/tables/flag.ts'
import { definitionText } from '../../stored/definition-text.ts'
import { runsNow } from '../../stored/runs-now.ts'
import { isScripted } from './scripted-types.ts'

type CheckRow = Schema['checks']

function scheduleOf(id: string, { type, check }: TypedCheck): Schedule {
  if (type === 'HEARTBEAT') {
    const intervalMs = Math.round(periodMsOf(check.heartbeat))
    return { intervalMs, phaseMs: spread(id, intervalMs) }
  }
  const { frequency, frequencyOffset } = check
  return {
    intervalMs: intervalMsOf(frequency, frequencyOffset),
    phaseMs: phaseMsOf(id, frequency, frequencyOffset),
  }
}

/**
 * What storage and the scheduler keep of a definition. `check` has its secrets sealed. The phase is the check's own, so
 * an update does not move it. A type that no agent can carry out has no runs. @throws ApiError 413
 */
export function toRow(
  typed: TypedCheck,
  group: CheckGroup | null,
  identity: { id: string; accountId: string; version: number; createdAt: number; updatedAt: number | null },
  now: number,
): CheckRow {
  const { type } = typed
  const check: AnyCheck = typed.check
  const schedule = scheduleOf(identity.id, typed)
  return {
    ...identity,
    type,
    name: check.name,
    activated: flagOf(check.activated),
    groupId: check.groupId,
    definition: definitionText(check, { what: 'check', ...(isScripted(type) && { mostKiB: 1024 }) }),
    url: type === 'API' || type === 'URL' ? typed.check.request.url : null,
    ...schedule,
    nextDueAt: runsNow(typed, group) ? firstDueAfter(schedule, now) : null,
  }
}
