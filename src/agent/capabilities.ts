import type { Capabilities } from '../contract/agent-protocol.ts'
import { type CheckType, type CheckTypeName, runnableTypes } from '../contract/check-types.ts'

/** What an agent without scripts and browsers runs (service.md, Versioning). */
const uptimeTypes: ReadonlySet<CheckTypeName> = new Set(['URL', 'DNS', 'TCP', 'ICMP', 'HEARTBEAT'])

export interface CapabilityOptions {
  readonly flavour: Capabilities['flavour']
  readonly version: string
  /** Whether this machine lets us ping. */
  readonly canPing: boolean
}

/** What this agent tells the service that it can do: it is never sent anything else. */
export function capabilitiesOf({ flavour, version, canPing }: CapabilityOptions): Capabilities {
  const isAble = (type: CheckType) =>
    (flavour === 'full' || uptimeTypes.has(type)) && (type !== 'ICMP' || canPing)
  return {
    version,
    flavour,
    checkTypes: runnableTypes.filter(isAble),
    runtimes: [],
    platform: `${process.platform}-${process.arch}`,
    runtimeVersion: process.version,
  }
}
