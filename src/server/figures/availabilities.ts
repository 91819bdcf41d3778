import type { Kysely } from 'kysely'
import type { Tally } from '../../rules/rollup.ts'
import type { Range } from '../../rules/rollup-ranges.ts'
import type { Schema } from '../../storage/schema.ts'
import { heartbeatAvailability, heartbeatFigures } from './heartbeat-figures.ts'

type Check = Pick<Schema['checks'], 'id' | 'type'>

/**
 * How available each of these checks was, in percent, whatever its type; null where nothing says so. A heartbeat's pings
 * tell it, also where it is run (semantics §7), and the results of any other check.
 */
export async function availabilities(
  db: Kysely<Schema>,
  checks: readonly Check[],
  { range, tallies }: { readonly range: Range; readonly tallies: ReadonlyMap<string, Tally> },
): Promise<(check: Check) => number | null> {
  const heartbeats = checks.filter(isHeartbeat).map(({ id }) => id)
  const figureOf = await heartbeatFigures(db, heartbeats, range)
  return (check) =>
    isHeartbeat(check)
      ? heartbeatAvailability(figureOf(check.id))
      : (tallies.get(check.id)?.availability() ?? null)
}

const isHeartbeat = ({ type }: Check): boolean => type === 'HEARTBEAT'
