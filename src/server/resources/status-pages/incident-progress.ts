import type { ProgressStatus } from '../../../contract/resources/status-page-incident.ts'

interface Dated {
  readonly status: ProgressStatus
  /** ISO 8601. */
  readonly publicIncidentUpdateDate: string
}

const instantOf = ({ publicIncidentUpdateDate }: Dated) => Date.parse(publicIncidentUpdateDate)

/** By the date that visitors see, so that what is added about the past changes nothing now; then the last to come. */
export const newestFirst = <T extends Dated>(updates: readonly T[]): T[] =>
  updates.toReversed().toSorted((a, b) => instantOf(b) - instantOf(a))

/**
 * Where an incident stands after its updates, of which there is at least one, and how many seconds passed between the
 * first and the one that resolved it; null while it is open. What is said after that, still resolved, does not count.
 */
export function progressOf(updates: readonly Dated[]): {
  lastUpdateStatus: ProgressStatus
  duration: number | null
} {
  const ordered = newestFirst(updates)
  const lastUpdateStatus = ordered[0]?.status ?? 'INVESTIGATING'
  const since = ordered.findIndex(({ status }) => status !== 'RESOLVED')
  const resolved = ordered[(since === -1 ? ordered.length : since) - 1]
  const first = ordered.at(-1)
  if (!resolved || !first) return { lastUpdateStatus, duration: null }
  return { lastUpdateStatus, duration: Math.round((instantOf(resolved) - instantOf(first)) / 1000) }
}
