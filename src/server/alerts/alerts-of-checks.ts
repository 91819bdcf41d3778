import type { Kysely } from 'kysely'
import type { AlertChannelSubscription } from '../../contract/resources/alert-subscription.ts'
import type { AlertChannels } from '../../contract/resources/check.ts'
import type { Sealer } from '../../lib/sealing.ts'
import { type SubscriptionRow, subscriptionsOf } from '../../storage/alert-subscriptions.ts'
import { findDocuments } from '../../storage/documents.ts'
import type { Schema } from '../../storage/schema.ts'
import { type OpenChannel, openChannel, type StoredChannel } from './alert-channels.ts'
import { toSent } from './alert-subscriptions.ts'

/** What a check's answer tells of its alerts. */
export interface AlertsOfCheck {
  /** In the order in which they were sent. */
  readonly alertChannelSubscriptions: AlertChannelSubscription[]
  /** Of the active subscriptions. */
  readonly alertChannels: AlertChannels
}

/** Finds the alerts of each of these checks, all of one account. @throws AppError SECRET_UNREADABLE */
export async function alertsOfChecks(
  { db, sealer }: { readonly db: Kysely<Schema>; readonly sealer: Sealer },
  accountId: string,
  checkIds: readonly string[],
): Promise<(checkId: string) => AlertsOfCheck> {
  const rows = await subscriptionsOf(db, 'checkId', checkIds)
  const ofCheck = Map.groupBy(rows, ({ checkId }) => checkId)
  const active = rows.filter(({ activated }) => activated === 1).map(({ channelId }) => String(channelId))
  const documents = await findDocuments(db, { kind: 'alert-channel', accountId }, active)
  const channels = documents.map(({ id, definition }) =>
    openChannel(sealer, id, JSON.parse(definition) as StoredChannel),
  )
  const channelOf = new Map(channels.map((channel) => [channel.id, channel]))
  return (checkId) => toAlerts(ofCheck.get(checkId) ?? [], channelOf)
}

function toAlerts(
  rows: readonly SubscriptionRow[],
  channelOf: ReadonlyMap<number, OpenChannel>,
): AlertsOfCheck {
  const active = rows.flatMap(({ channelId, activated }) => {
    const channel = channelOf.get(channelId)
    return channel && activated === 1 ? [channel] : []
  })
  return { alertChannelSubscriptions: rows.map(toSent), alertChannels: toAlertChannels(active) }
}

/** service.md names four of the types; the others are in the subscriptions alone. */
function toAlertChannels(channels: readonly OpenChannel[]): AlertChannels {
  const told: AlertChannels = { email: [], webhook: [], slack: [], sms: [] }
  for (const { type, config } of channels) {
    if (type === 'EMAIL') told.email.push({ address: config.address })
    if (type === 'SLACK') told.slack.push({ url: config.url })
    if (type === 'SMS') told.sms.push({ number: config.number, name: config.name })
    if (type === 'WEBHOOK') {
      const { name, url, method, headers, queryParameters } = config
      told.webhook.push({ name, url, method, headers, queryParameters })
    }
  }
  return told
}
