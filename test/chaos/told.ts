const onDisk = 'an attempt is over and its result on disk'
const dropped = 'the outbox dropped its oldest unsent results'
const judged = new Set(['passing', 'degraded', 'failing'])

/** What agents said while they ran: each result that they promised to keep, and how many were acknowledged. */
export class Told {
  /** Ids of runs of which a judged, final result was on an agent's disk. */
  readonly #kept = new Set<string>()
  acknowledged = 0
  refused = 0
  dropped = 0

  /** What was promised until now. */
  get keptSoFar(): ReadonlySet<string> {
    return new Set(this.#kept)
  }

  line(line: string): void {
    if (!line.startsWith('{') || !line.endsWith('}')) return
    const said: Readonly<Record<string, unknown>> = JSON.parse(line)
    const { msg, runId, resultType, verdict } = said
    if (msg === onDisk && resultType === 'FINAL' && judged.has(String(verdict))) this.#kept.add(String(runId))
    if (msg === 'results were uploaded') {
      this.acknowledged += Number(said['accepted'])
      this.refused += Number(said['refused'])
    }
    if (msg === dropped) this.dropped += Number(said['records'])
  }
}
