import type { Flag } from './flag.ts'

/** Whom to tell, and what was told. */
export interface AlertTables {
  /** A channel tells of a check or of a group: one of the two ids is null. */
  alertChannelSubscriptions: {
    id: number
    channelId: number
    checkId: string | null
    groupId: number | null
    activated: Flag
    /** Among those of its check or group, and among those of its channel. */
    position: number
    channelPosition: number
  }
  checkAlerts: {
    id: string
    accountId: string
    checkId: string
    checkType: string
    /** That the check had at the time. */
    name: string
    alertType: string
    checkResultId: string | null
    location: string
    responseTimeMs: number | null
    error: string | null
    statusCode: string | null
    startedAt: number
    createdAt: number
  }
  alertNotifications: {
    id: string
    accountId: string
    checkAlertId: string
    checkId: string
    checkType: string
    checkResultId: string | null
    channelId: number
    type: string
    /** The channel's config as it was used, JSON, sealed. */
    config: string
    status: 'IN_PROGRESS' | 'SUCCESS' | 'FAILURE' | 'RATE_LIMITED'
    result: string | null
    sentAt: number | null
    createdAt: number
  }
}
