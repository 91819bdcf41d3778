import type { PrivateLocation, PrivateLocationKey } from '../../../contract/resources/private-location.ts'
import { dateText, dateTextOrNull, dateTimeText } from '../../../contract/wire-time.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import type { Schema } from '../../../storage/schema.ts'
import { hidePassword, openProxyUrl } from '../../secrets/proxy-url.ts'

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

/** `agents` are those seen at the location, newest first or not; `runningSince` tells which of them count as running. */
export function locationResource(
  sealer: Sealer,
  row: LocationRow,
  keys: readonly KeyRow[],
  agents: readonly AgentRow[],
  runningSince: number,
): PrivateLocation {
  const running = agents.filter((agent) => agent.lastSeenAt >= runningSince)
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
  }
}
