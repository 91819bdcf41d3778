import type { CheckStatusResource } from '../../../contract/resources/check-status.ts'
import type { IncapablePlace } from '../../stored/incapable-places.ts'
import { unheardStatus } from './unheard-status.ts'

/**
 * The same statuses, those of checks that no agent can run at one of their locations as such, and behind them such checks
 * without a status. What was last seen of the target elsewhere stays.
 */
export function withIncapable(
  statuses: readonly CheckStatusResource[],
  places: readonly IncapablePlace[],
): CheckStatusResource[] {
  const unsaid = Map.groupBy(places, ({ id }) => id)
  const said = statuses.map((status) => {
    const own = unsaid.get(status.checkId) ?? []
    unsaid.delete(status.checkId)
    return incapable(status, own)
  })
  const others = [...unsaid.values()].flatMap((own) =>
    own.slice(0, 1).map((check) => incapable(unheardStatus({ ...check, checkId: check.id }, null), own)),
  )
  return [...said, ...others]
}

function incapable(status: CheckStatusResource, places: readonly IncapablePlace[]): CheckStatusResource {
  const [first] = places
  if (!first) return status
  const locations = places.map(({ location }) => location).join(', ')
  const reason = `missing-capability: no agent at ${locations} ${first.missing}`
  return { ...status, hasErrors: true, reason }
}
