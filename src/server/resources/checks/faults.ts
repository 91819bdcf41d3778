import type { TypedCheck } from '../../../contract/check-schemas.ts'
import type { AnyCheck } from '../../../contract/checks/any-check.ts'
import type { CheckGroup } from '../../../contract/resources/check-group.ts'
import type { Fault } from '../../../lib/find-faults.ts'
import { effectiveCheck, locationsOf } from '../../../rules/effective-check.ts'
import { heartbeatRequest } from '../../../rules/heartbeat-request.ts'
import { requestFaults } from '../../../rules/request-faults.ts'
import { frequencyOffsetFault } from '../../../rules/schedule.ts'
import { variableFaults } from '../../stored/variable-faults.ts'

/** A heartbeat has no schedule but its period. */
function scheduleFaults({ type, check }: TypedCheck): Fault[] {
  if (type === 'HEARTBEAT') return []
  const text = frequencyOffsetFault(check.frequency, check.frequencyOffset)
  return text === null ? [] : [{ path: 'frequencyOffset', text }]
}

/** A heartbeat that waits for the pings of others needs no place to run. */
function placeFaults(typed: TypedCheck, group: CheckGroup | null): Fault[] {
  if (typed.type === 'HEARTBEAT' && !heartbeatRequest(typed.check)) return []
  const check: AnyCheck = typed.check
  if (locationsOf(effectiveCheck(check, group)).length > 0) return []
  return [{ path: 'locations', text: 'You have to set at least one `location` or `privateLocation`' }]
}

/** What the schema alone cannot see, references aside. */
export function checkFaults(typed: TypedCheck, group: CheckGroup | null): Fault[] {
  const { environmentVariables }: AnyCheck = typed.check
  return [
    ...requestFaults(typed),
    ...scheduleFaults(typed),
    ...placeFaults(typed, group),
    ...variableFaults(environmentVariables),
  ]
}
