import type { AnyCheck } from '../../contract/checks/any-check.ts'
import type { CheckGroup } from '../../contract/resources/check-group.ts'
import { effectiveCheck, locationsOf } from '../../rules/effective-check.ts'

/** Whether a check has runs to plan: neither it nor its group is deactivated, and there is a place for it (semantics §5). */
export function runsNow(check: AnyCheck, group: CheckGroup | null): boolean {
  const effective = effectiveCheck(check, group)
  return effective.activated && locationsOf(effective).length > 0
}
