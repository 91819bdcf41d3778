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

/** What is not held against a heartbeat. */
export interface Allowances {
  /** Oldest first. */
  readonly downtimes: readonly Downtime[]
  /** The end of the maintenance that is open at an instant, null when none is; missing where there is none at all. */
  readonly heldUntil?: ((at: number) => number | null) | undefined
  /** Of one that is run: when the runs were due that saw its target fail, oldest first. Missing where nobody runs it. */
  readonly failedRunsAt?: readonly number[] | undefined
}

/** So many times in a row maintenance gives a silent job another period and grace. */
const mostRenewals = 2
/** A maintenance that has no end is not looked through to it. */
const mostHolds = 10

/**
 * When a heartbeat fails without another ping, epoch milliseconds; null while nothing says so. Maintenance holds its deadline
 * back. One that is run fails for what its runs saw, and for nothing else: a run that was late, missed or errored says
 * nothing of its target (semantics §3).
 */
export function failsAt(
  anchorAt: number,
  timing: HeartbeatTiming,
  { downtimes, heldUntil, failedRunsAt }: Allowances,
): number | null {
  const ours = failedRunsAt ? [] : downtimes
  const deadlineFrom = (at: number) => deadlineAt(at, timing, ours)
  const plain = deadlineFrom(anchorAt)
  const deadline = heldUntil ? heldBack(plain, timing, heldUntil, deadlineFrom) : plain
  if (!failedRunsAt) return deadline
  const seenAt = failedRunsAt.find((at) => at > deadline - timing.periodMs)
  return seenAt === undefined ? null : Math.max(deadline, seenAt)
}

/**
 * Maintenance that is open when the ping is expected, or at the deadline, counts as a ping at its end (semantics §8:
 * scheduled runs are skipped). A job that stays silent through more of them in a row fails when it is over.
 */
function heldBack(
  plain: number,
  { graceMs }: HeartbeatTiming,
  heldUntil: NonNullable<Allowances['heldUntil']>,
  deadlineFrom: (at: number) => number,
): number {
  let deadline = plain
  for (let renewals = 0; renewals < mostRenewals; renewals += 1) {
    const end = heldUntil(deadline - graceMs) ?? heldUntil(deadline)
    if (end === null) return deadline
    deadline = deadlineFrom(end)
  }
  for (let holds = 0; holds < mostHolds; holds += 1) {
    const end = heldUntil(deadline)
    if (end === null) break
    deadline = end
  }
  return deadline
}

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
