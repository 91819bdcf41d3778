import { neverRan, type Status } from './status.ts'

/** The status of a check after its heartbeat began or ceased to fail; what its runs told stays (rules/status). */
export function foldHeartbeat(previous: Status | null, failing: boolean): Status {
  return { ...(previous ?? neverRan), hasFailures: failing, hasErrors: false, isDegraded: false }
}
