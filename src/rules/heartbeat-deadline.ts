/** When a heartbeat's pings are expected, in milliseconds. */
export interface HeartbeatTiming {
  readonly periodMs: number
  readonly graceMs: number
}

/** A stretch in which no server of ours could take a ping. Epoch milliseconds, `from` before `to`. */
export interface Downtime {
  readonly from: number
  readonly to: number
}

/** Alive for so many spans of period and grace we would have heard of a job, whichever of its pings were lost. */
const enoughSpansAlive = 2

interface Silence {
  readonly deadline: number
  readonly downMs: number
}

/**
 * The last instant at which a ping is in time, when the last one came, or the timer was restarted, at `anchorAt`: period
 * and grace later, unless we were down meanwhile (semantics §7: our own downtime never fails a heartbeat).
 *
 * A job that pings at regular intervals, none longer than period and grace, may have pinged in a downtime; what it sends
 * next is in time all the same where the downtime ends within the first half of that span. Every downtime that ends later
 * counts as a ping at its end: each of them may have hidden the job's last. After two spans alive without a ping it does
 * not any more: then a job is silent whose pings would all have to be lost, and a downtime only adds its own length.
 * `downtimes`: oldest first.
 */
export function deadlineAt(
  anchorAt: number,
  { periodMs, graceMs }: HeartbeatTiming,
  downtimes: readonly Downtime[],
): number {
  const spanMs = periodMs + graceMs
  let silence: Silence = { deadline: anchorAt + spanMs, downMs: 0 }
  for (const { from, to } of downtimes) {
    if (to <= anchorAt) continue
    if (from > silence.deadline) break
    silence = withDowntime(silence, { from: Math.max(from, anchorAt), to }, anchorAt, spanMs)
  }
  return silence.deadline
}

function withDowntime(before: Silence, { from, to }: Downtime, anchorAt: number, spanMs: number): Silence {
  const downMs = before.downMs + to - from
  if (to <= anchorAt + spanMs / 2) return { ...before, downMs }
  const aliveMs = from - anchorAt - before.downMs
  const deadline = aliveMs >= enoughSpansAlive * spanMs ? before.deadline + to - from : to + spanMs
  return { deadline, downMs }
}
