import type { CheckStatusResource } from '../../../contract/resources/check-status.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import type { listOverdueChecks } from '../../../storage/overdue-checks.ts'
import { unheardStatus } from './unheard-status.ts'

type OverdueCheck = Awaited<ReturnType<typeof listOverdueChecks>>[number]

/** The status of a check that is overdue: what was last seen of its target, and that nothing is seen of it now. */
export function overdueResource(
  overdue: OverdueCheck,
  status: CheckStatusResource = unheardStatus(overdue, overdue.noticedAt),
): CheckStatusResource {
  const overdueSince = dateTimeText(overdue.sinceAt)
  return {
    ...status,
    hasErrors: true,
    reason: `Overdue: the check should have run and has had no result since ${overdueSince}`,
    overdueSince,
  }
}

/** The same statuses, those of overdue checks as such, and behind them overdue checks without a status. */
export function withOverdue(
  statuses: readonly CheckStatusResource[],
  overdue: readonly OverdueCheck[],
): CheckStatusResource[] {
  const unsaid = new Map(overdue.map((one) => [one.checkId, one]))
  const said = statuses.map((status) => {
    const late = unsaid.get(status.checkId)
    unsaid.delete(status.checkId)
    return late ? overdueResource(late, status) : status
  })
  return [...said, ...[...unsaid.values()].map((one) => overdueResource(one))]
}
