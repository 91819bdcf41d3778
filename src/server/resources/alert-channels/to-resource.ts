import type { AlertChannel } from '../../../contract/resources/alert-channel.ts'
import type { ChannelSubscription } from '../../../contract/resources/alert-subscription.ts'
import { dateTimeText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import type { SubscriptionRow } from '../../../storage/alert-subscriptions.ts'
import { openChannel, type StoredChannel, shownConfig } from '../../alerts/alert-channels.ts'
import type { Stored } from '../../stored/collection.ts'

export function toSubscription({ id, checkId, groupId, activated }: SubscriptionRow): ChannelSubscription {
  return { id, checkId, groupId, activated: activated === 1 }
}

/** What was sent, its credential aside, and who is subscribed. @throws AppError SECRET_UNREADABLE */
export function toResource(
  sealer: Sealer,
  { id, definition, createdAt, updatedAt }: Stored<StoredChannel>,
  subscriptions: readonly SubscriptionRow[],
): AlertChannel {
  return {
    ...definition,
    id: Number(id),
    config: shownConfig(definition.type, openChannel(sealer, id, definition).config),
    subscriptions: subscriptions.map(toSubscription),
    created_at: dateTimeText(createdAt),
    updated_at: dateTimeTextOrNull(updatedAt),
  }
}
