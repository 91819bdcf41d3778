import type { Flag } from './flag.ts'

/** What became of jobs that ping us. */
export interface HeartbeatTables {
  /** One for each heartbeat check, beside its definition. */
  heartbeats: {
    checkId: string
    accountId: string
    /** What its pings name. It is the check's for life; nothing keeps two checks from being sent with one token. */
    token: string
    active: Flag
    periodMs: number
    graceMs: number
    /** As the two of rules/heartbeat-state. */
    anchorAt: number | null
    failing: 'no' | 'missed' | 'reported'
    /** What happened before says nothing of it any more. */
    restartedAt: number
    /** When the job said that it began; null when it has said that it is over. */
    startedAt: number | null
    /** Nobody need look at it before; null while there is nothing to expect. */
    deadlineAt: number | null
  }
  /** What became of a ping, or of its not coming (semantics §7). */
  heartbeatEvents: {
    id: string
    accountId: string
    checkId: string
    state: 'EARLY' | 'RECEIVED' | 'GRACE' | 'LATE' | 'FAILING'
    at: number
    source: string | null
    userAgent: string | null
    /** Pings that this tells of: those of one second with the same outcome are one event. 0 when none came. */
    pings: number
    /** From the start that the job told of, or as it said itself. */
    durationMs: number | null
    /** What the job ended with; null where it said none. */
    exitCode: number | null
    /** The beginning of what was sent with the ping. */
    body: string | null
  }
  /** One row: when any server last was alive to take pings. */
  serviceBeats: { id: number; at: number }
  /** When no server was, oldest first by `fromAt`. */
  serviceDowntimes: { fromAt: number; toAt: number }
}
