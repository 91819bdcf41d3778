import type { CheckSession } from '../../../contract/resources/check-session.ts'
import { dateTimeText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import { checkSessionStatus } from '../../../rules/session-status.ts'
import type { Schema } from '../../../storage/schema.ts'
import { stoppedAtOf } from '../../on-demand/run-results.ts'
import type { CheckSessionFacts } from '../../on-demand/start-sessions.ts'

/** For whom and when a session is shown. */
interface Shown {
  readonly origin: string
  /** Epoch milliseconds. */
  readonly now: number
}

export const linkOf = (origin: string, id: string): string => `${origin}/v1/check-sessions/${id}`

export function toResource(
  session: Schema['sessions'],
  runs: readonly Schema['checkRuns'][],
  { origin, now }: Shown,
): CheckSession {
  // Written by startSessions and by nothing else.
  const { checkType, locations } = JSON.parse(session.definition) as CheckSessionFacts
  const { id, checkId, name, startedAt, cancelledAt, runSource } = session
  const stoppedAt = stoppedAtOf(runs, startedAt)
  return {
    checkSessionId: id,
    checkSessionLink: linkOf(origin, id),
    checkId: checkId ?? '',
    checkType,
    name,
    status: checkSessionStatus(runs, cancelledAt !== null),
    startedAt: dateTimeText(startedAt),
    stoppedAt: dateTimeTextOrNull(stoppedAt),
    timeElapsed: Math.max(0, (stoppedAt ?? now) - startedAt),
    runLocations: [...locations],
    runSource,
  }
}
