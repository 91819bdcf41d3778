import type { Clock } from '../../lib/clock.ts'
import type { Database } from '../../storage/database.ts'
import { insertLocationMetrics } from '../../storage/location-metrics.ts'
import { listAllPrivateLocations } from '../../storage/private-locations.ts'
import { queueMetrics } from '../../storage/queue-metrics.ts'

const sampleMs = 60_000

/** One turn: a sample of every private location's queue. Returns the milliseconds until the next full minute. */
export async function sampleLocationMetricsTurn(options: {
  readonly database: Database
  readonly clock: Clock
}): Promise<number> {
  const db = options.database.kysely
  const now = options.clock.now()
  const waiting = new Map(
    (await queueMetrics(db, now)).map((row) => [`${row.accountId}/${row.location}`, row]),
  )
  const rows = (await listAllPrivateLocations(db)).map(({ accountId, slugName: location }) => {
    const queue = waiting.get(`${accountId}/${location}`)
    return {
      accountId,
      location,
      at: Math.floor(now / sampleMs) * sampleMs,
      queueSize: queue?.queueSize ?? 0,
      oldestScheduledCheckRunMs: queue ? Math.max(0, now - queue.oldestScheduledAt) : 0,
    }
  })
  await insertLocationMetrics(db, rows)
  return sampleMs - (options.clock.now() % sampleMs)
}
