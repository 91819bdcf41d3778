import type { ChannelType } from '../../../contract/resources/alert-channel.ts'
import type { AlertNotification } from '../../../contract/resources/alert-notification.ts'
import { dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import type { Schema } from '../../../storage/schema.ts'
import { shownConfig } from '../../alerts/alert-channels.ts'
import { sealedPlaces } from '../../secrets/sealed-places.ts'
import { checkTypeOf } from '../../stored/stored-check.ts'

/** @throws AppError SECRET_UNREADABLE */
export function toResource(sealer: Sealer, row: Schema['alertNotifications']): AlertNotification {
  const { id, status, checkId, checkAlertId, checkResultId } = row
  const config: object = JSON.parse(sealer.open(row.config, sealedPlaces.alertNotification(id)))
  return {
    id,
    type: row.type,
    status,
    // The column holds one of the contract's names and nothing else.
    alertConfig: shownConfig(row.type as ChannelType, config),
    notificationResult: row.result,
    timestamp: dateTimeTextOrNull(row.sentAt),
    checkType: checkTypeOf({ type: row.checkType }),
    checkId,
    checkAlertId,
    alertChannelId: row.channelId,
    ...(checkResultId !== null && { checkResultId }),
  }
}
