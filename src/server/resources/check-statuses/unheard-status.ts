import type { CheckStatusResource } from '../../../contract/resources/check-status.ts'
import { dateText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'

interface Unheard {
  readonly checkId: string
  readonly name: string
  readonly createdAt: number
}

/** Of a check that had no result yet, and for a fault of ours. `updatedAt` in epoch milliseconds. */
export function unheardStatus(
  { checkId, name, createdAt }: Unheard,
  updatedAt: number | null,
): CheckStatusResource {
  return {
    name,
    checkId,
    hasFailures: false,
    hasErrors: true,
    isDegraded: false,
    longestRun: null,
    shortestRun: null,
    lastRunLocation: null,
    lastCheckRunId: null,
    sslDaysRemaining: null,
    created_at: dateText(createdAt),
    updated_at: dateTimeTextOrNull(updatedAt),
  }
}
