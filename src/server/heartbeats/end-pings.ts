import { orderedId } from '../../lib/ids.ts'
import type { HeartbeatMove, HeartbeatPing } from '../../rules/heartbeat-state.ts'
import type { HeartbeatEventRow } from '../../storage/heartbeat-events.ts'
import type { HeartbeatRow } from '../../storage/heartbeats.ts'
import { missedEvent } from './heartbeat-moves.ts'

/** What a job says of itself. */
export interface Ping {
  readonly token: string
  /** `start`: it begins, which is no sign of its end. */
  readonly kind: 'start' | 'success' | 'fail'
  readonly exitCode: number | null
  /** When it was taken, epoch milliseconds; it may be long ago. */
  readonly at: number
  /** Origin, else referer. */
  readonly source: string | null
  readonly userAgent: string | null
  readonly body: string | null
  /** What the job took, as far as whoever took the ping knows. */
  readonly durationMs: number | null
  /** One of so many that it is counted with those of its second, whatever it says; missing for one that is not. */
  readonly crowded?: boolean
}

/** A ping that ends a job, and what is stored of it. */
export interface EndPing extends HeartbeatPing {
  readonly row: HeartbeatEventRow
  readonly crowded?: boolean | undefined
}

/** What is stored of each move of a story. */
export const eventsOf = (row: HeartbeatRow, moves: readonly HeartbeatMove<EndPing>[]): HeartbeatEventRow[] =>
  moves.map(({ ping, state, at }) => (ping ? { ...withId(ping, state), state } : missedEvent(row, at)))

const oneEventMs = 1000

/** Pings of one second with the same outcome, and nothing more to say, are one event. */
function withId(
  { row: event, crowded = false }: EndPing,
  state: HeartbeatEventRow['state'],
): HeartbeatEventRow {
  if (event.id !== '') return event
  const { checkId, at, body, exitCode } = event
  const alone = !crowded && (state === 'FAILING' || body !== null || exitCode !== null)
  const id = alone
    ? orderedId(at, checkId, state, 'alone')
    : orderedId(Math.floor(at / oneEventMs) * oneEventMs, checkId, state)
  return { ...event, id }
}

/** The pings that end a job, and the start that none of them ended. */
export function endsOf(
  { checkId, accountId, startedAt: before }: HeartbeatRow,
  pings: readonly Ping[],
): { readonly ends: EndPing[]; readonly startedAt: number | null } {
  const ends: EndPing[] = []
  let startedAt = before
  for (const { kind, at, source, userAgent, durationMs: told, crowded, ...said } of pings) {
    if (kind === 'start') {
      startedAt = at
      continue
    }
    const durationMs = told ?? (startedAt === null || startedAt > at ? null : at - startedAt)
    const { exitCode, body } = crowded ? { exitCode: null, body: null } : said
    // Its id depends on what becomes of it.
    const identity = { id: '', accountId, checkId, state: 'RECEIVED' } as const
    ends.push({
      at,
      fails: kind === 'fail',
      row: { ...identity, at, source, userAgent, pings: 1, durationMs, exitCode, body },
      crowded,
    })
    if (startedAt !== null && startedAt <= at) startedAt = null
  }
  return { ends, startedAt }
}
