import { type PingsResponse, RelayedPing } from '../../contract/agent-pings.ts'
import { storableText } from '../../lib/body-beginning.ts'
import type { Clock } from '../../lib/clock.ts'
import { validator } from '../../lib/validate.ts'
import { isLinkPreview } from '../../rules/link-previews.ts'
import type { Database } from '../../storage/database.ts'
import type { Ping } from '../heartbeats/end-pings.ts'
import type { OwnDowntime } from '../heartbeats/own-downtime.ts'
import { takePings } from '../heartbeats/take-pings.ts'
import type { AgentPrincipal } from '../http/authentication.ts'

export interface RelayedPingOptions {
  readonly database: Database
  readonly clock: Clock
  readonly downtime: OwnDowntime
}

type Refusal = PingsResponse['refused'][number]

const readRelayed = validator(RelayedPing)
/**
 * The deadlines since an older ping would all be told again, up to one each 30 s. No agent keeps one for so long, unless it
 * was told to.
 */
const oldestMs = 31 * 86_400_000

interface Candidate {
  readonly index: number
  readonly ping: Ping
}

const textOrNull = (text: string | null): string | null => (text === null ? null : storableText(text))

/** As of when it came, by our clock: an agent that did not know our clock says how long ago that was. */
function read(record: unknown, now: number): Ping | Omit<Refusal, 'index'> {
  const relayed = readRelayed(record)
  if (relayed.kind === 'invalid') return { reason: 'invalid', token: null }
  const { ageMs, at: takenAt, ping } = relayed.value
  const at = ping.at ?? takenAt ?? now - ageMs
  if (at < now - oldestMs) return { reason: 'too-old', token: ping.token }
  return {
    ...ping,
    at,
    source: textOrNull(ping.source),
    userAgent: textOrNull(ping.userAgent),
    body: textOrNull(ping.body),
    durationMs: null,
  }
}

function sort(records: readonly unknown[], now: number): { candidates: Candidate[]; refused: Refusal[] } {
  const candidates: Candidate[] = []
  const refused: Refusal[] = []
  for (const [index, record] of records.entries()) {
    const ping = read(record, now)
    if ('reason' in ping) refused.push({ index, ...ping })
    else if (ping.userAgent === null || !isLinkPreview(ping.userAgent)) candidates.push({ index, ping })
  }
  return { candidates, refused }
}

/**
 * Takes pings that an agent took, all of a batch in one transaction, as of when they came. What can never be taken is
 * refused by its index. The agent of a private location speaks for the heartbeats of its own account alone.
 * @throws when storage cannot take them now: the agent keeps them
 */
export async function takeRelayedPings(
  { database, clock, downtime }: RelayedPingOptions,
  { accountId }: Pick<AgentPrincipal, 'accountId'>,
  records: readonly unknown[],
): Promise<PingsResponse> {
  const now = clock.now()
  const { candidates, refused } = sort(records, now)
  const pings = candidates.map(({ ping }) => ping)
  const taking = { now, unrecorded: downtime.unrecorded(now), mayRepeat: true, accountId }
  const known =
    pings.length === 0 ? new Set<string>() : await database.transaction((db) => takePings(db, pings, taking))
  for (const { index, ping } of candidates) {
    const { token } = ping
    if (!known.has(token)) refused.push({ index, reason: 'unknown-token', token })
  }
  return { serverTime: now, accepted: records.length - refused.length, refused }
}
