import type { PrivateLocation, PrivateLocationKey } from '../../../contract/resources/private-location.ts'
import { dateText, dateTextOrNull, dateTimeText } from '../../../contract/wire-time.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import type { Schema } from '../../../storage/schema.ts'
import { unavailableAfterMs } from '../../loops/location-watch.ts'
import { hidePassword, openProxyUrl } from '../../secrets/proxy-url.ts'
import type { IncapablePlace } from '../../stored/incapable-places.ts'

type LocationRow = Schema['privateLocations']
type KeyRow = Schema['locationKeys']
type AgentRow = Schema['agents']

/** After its creation a key is only ever shown masked. */
export function keyResource(row: KeyRow, rawKey: string = row.masked): PrivateLocationKey {
  return { id: row.id, rawKey, maskedKey: row.masked, created_at: dateText(row.createdAt), updated_at: null }
}

/** The password of its proxyUrl is told to nobody. */
export function bareResource(sealer: Sealer, row: LocationRow, keys: readonly KeyRow[]) {
  const proxyUrl = openProxyUrl(sealer, row)
  return {
    id: row.id,
    name: row.name,
    slugName: row.slugName,
    icon: row.icon,
    created_at: dateText(row.createdAt),
    updated_at: dateTextOrNull(row.updatedAt),
    keys: keys.map((key) => keyResource(key)),
    proxyUrl: proxyUrl === null ? null : hidePassword(proxyUrl),
  }
}

export interface LocationFacts {
  readonly keys: readonly KeyRow[]
  /** Those that were ever seen there, in any order. */
  readonly agents: readonly AgentRow[]
  readonly ill: Schema['illLocations'] | undefined
  /** Checks that are to run there and that no agent there can run. */
  readonly incapable: readonly IncapablePlace[]
  readonly now: number
  /** When the service began: its own absence is not held against agents. */
  readonly startedAt: number
}

const runningWindowMs = 60_000

function statusOf(
  row: LocationRow,
  lastSeenAt: number | null,
  { ill, incapable, now, startedAt }: LocationFacts,
): PrivateLocation['status'] {
  const isServed = lastSeenAt !== null && Math.max(lastSeenAt, startedAt) > now - unavailableAfterMs
  if (!isServed) {
    const reason =
      lastSeenAt === null ? 'no agent with a key of it has asked for runs yet' : 'no agent asks for runs'
    return { state: 'unavailable', reason, since: dateTimeText(lastSeenAt ?? row.createdAt) }
  }
  if (ill) return { state: 'ill', reason: ill.reason, since: dateTimeText(ill.sinceAt) }
  return { state: 'available', reason: incapableReason(incapable), since: null }
}

/** Its other checks run. */
function incapableReason(incapable: readonly IncapablePlace[]): string | null {
  if (incapable.length === 0) return null
  const missing = [...new Set(incapable.map((place) => place.missing))].sort()
  const checks = `${incapable.length} of its checks ${incapable.length === 1 ? 'does' : 'do'} not run`
  return `missing-capability: no agent here ${missing.join(', and none ')}: ${checks}`
}

export function locationResource(sealer: Sealer, row: LocationRow, facts: LocationFacts): PrivateLocation {
  const { keys, agents, now } = facts
  const running = agents.filter((agent) => agent.lastSeenAt >= now - runningWindowMs)
  const lastSeenAt = agents.reduce<number | null>(
    (latest, agent) => Math.max(latest ?? 0, agent.lastSeenAt),
    null,
  )
  const versions = [...new Set(running.map((agent) => agent.version))].sort()
  return {
    ...bareResource(sealer, row, keys),
    lastSeen: dateTextOrNull(lastSeenAt),
    agentCount: running.length,
    runningAgents: versions.map((version) => {
      const ofVersion = running.filter((agent) => agent.version === version)
      return {
        version,
        count: ofVersion.length,
        agents: ofVersion.map(({ id, lastSeenAt }) => ({ id, lastSeenAt: dateTimeText(lastSeenAt) })),
      }
    }),
    status: statusOf(row, lastSeenAt, facts),
  }
}
