import type { Flag } from './flag.ts'

/** Places that checks run at, and the agents there. */
export interface LocationTables {
  privateLocations: {
    id: string
    accountId: string
    name: string
    slugName: string
    icon: string
    /** Sealed, unless it is empty. */
    proxyUrl: string | null
    createdAt: number
    updatedAt: number | null
  }
  /** A key stands for one private location, or for one data-center location (then `accountId` is null). */
  locationKeys: {
    id: string
    accountId: string | null
    privateLocationId: string | null
    location: string
    hash: string
    masked: string
    createdAt: number
  }
  agents: {
    id: string
    accountId: string | null
    location: string
    /** 1 for the agent of `picket up`, which serves what no other agent serves. */
    embedded: Flag
    version: string
    flavour: string
    checkTypes: string
    runtimes: string
    platform: string
    runtimeVersion: string
    firstSeenAt: number
    lastSeenAt: number
  }
  locationMetrics: {
    accountId: string | null
    location: string
    at: number
    queueSize: number
    oldestScheduledCheckRunMs: number
  }
  agentErrorReports: {
    id: string
    accountId: string | null
    location: string
    message: string
    stack: string
    agentVersion: string
    platform: string
    runtimeVersion: string
    receivedAt: number
  }
}
