import { newId } from '../../src/lib/ids.ts'
import { sealedPlaces } from '../../src/server/secrets/sealed-places.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { t0 } from './storage-rows.ts'
import { testSealer } from './test-service.ts'

type CheckAlertRow = Schema['checkAlerts']
type NotificationRow = Schema['alertNotifications']

export function checkAlertRow(
  accountId: string,
  checkId: string,
  changes: Partial<CheckAlertRow> = {},
): CheckAlertRow {
  return {
    id: newId(),
    accountId,
    checkId,
    checkType: 'API',
    name: 'Shop',
    alertType: 'ALERT_FAILURE',
    checkResultId: newId(),
    location: 'eu-west-1',
    responseTimeMs: 12.5,
    error: null,
    statusCode: '500',
    startedAt: t0 - 1000,
    createdAt: t0,
    ...changes,
  }
}

/** What became of an alert at a webhook. */
export function notificationRow(
  alert: CheckAlertRow,
  changes: Partial<NotificationRow> = {},
): NotificationRow {
  const id = newId()
  const config = JSON.stringify({ name: 'hook', url: 'https://a.example', webhookSecret: 's3cr3t' })
  return {
    id,
    accountId: alert.accountId,
    checkAlertId: alert.id,
    checkId: alert.checkId,
    checkType: alert.checkType,
    checkResultId: alert.checkResultId,
    channelId: 1,
    type: 'WEBHOOK',
    config: testSealer.seal(config, sealedPlaces.alertNotification(id)),
    status: 'SUCCESS',
    result: '204',
    sentAt: alert.createdAt + 500,
    createdAt: alert.createdAt,
    ...changes,
  }
}
