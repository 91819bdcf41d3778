import type { Capabilities } from '../contract/agent-protocol.ts'
import { type CheckType, type CheckTypeName, checkTypes } from '../contract/check-types.ts'
import { SettingsError } from '../lib/settings.ts'

/** What an agent without scripts and browsers runs (service.md, Versioning). */
const uptimeTypes: ReadonlySet<CheckTypeName> = new Set(['URL', 'DNS', 'TCP', 'ICMP', 'HEARTBEAT'])

/** What this agent tells the service that it can do. @throws SettingsError for a flavour that can do nothing */
export function capabilitiesOf(flavour: Capabilities['flavour'], version: string): Capabilities {
  // The keys of a const object are exactly its type's keys.
  const all = Object.keys(checkTypes) as CheckType[]
  const types = flavour === 'full' ? all : all.filter((type) => uptimeTypes.has(type))
  if (types.length === 0) {
    const text = `PICKET_FLAVOUR must be full: this version runs no check type of the ${flavour} flavour`
    throw new SettingsError([{ path: 'PICKET_FLAVOUR', text }])
  }
  return {
    version,
    flavour,
    checkTypes: types,
    runtimes: [],
    platform: `${process.platform}-${process.arch}`,
    runtimeVersion: process.version,
  }
}
