import type { TypedCheck } from '../../contract/check-schemas.ts'
import { isRunnable } from '../../contract/check-types.ts'
import type { AnyCheck } from '../../contract/checks/any-check.ts'
import type { CheckGroup } from '../../contract/resources/check-group.ts'
import { effectiveCheck, locationsOf } from '../../rules/effective-check.ts'
import { heartbeatRequest } from '../../rules/heartbeat-request.ts'

/** Whether an agent can carry the check out. A heartbeat without a request waits for the pings of others (semantics §7). */
export function hasRuns({ type, check }: TypedCheck): boolean {
  return type === 'HEARTBEAT' ? heartbeatRequest(check) !== null : isRunnable(type)
}

/**
 * Whether a check has runs to plan: an agent can carry it out, neither it nor its group is deactivated, and there is a
 * place for it (semantics §5).
 */
export function runsNow(typed: TypedCheck, group: CheckGroup | null): boolean {
  if (!hasRuns(typed)) return false
  const effective = effectiveCheck<AnyCheck>(typed.check, group)
  return effective.activated && locationsOf(effective).length > 0
}
