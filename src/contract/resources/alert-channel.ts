import { type Static, type TObject, Type } from 'typebox'
import { KeyValue } from '../key-value.ts'
import { Nullable, OneOf, Text } from '../schema.ts'
import { DateTimeText } from '../wire-time.ts'
import { ChannelSubscription, ChannelSubscriptionBody } from './alert-subscription.ts'

const Name = Text({ default: '', maxLength: 255 })
const PhoneNumber = Type.String({ pattern: '^\\+?[0-9][0-9 ().-]{2,29}$' })
const Url = Type.String({ minLength: 1, maxLength: 2048 })
/** Left empty in an update, it stays as it is. */
const Credential = Type.String({ maxLength: 1024 })
const KeyValues = Type.Array(KeyValue, { default: [], maxItems: 100 })

const phone = { name: Name, number: PhoneNumber }

/** What each type of channel needs to reach somebody. */
const channelConfigs = {
  EMAIL: Type.Object({ address: Type.String({ maxLength: 320, pattern: '^[^\\s@]+@[^\\s@]+$' }) }),
  SLACK: Type.Object({ url: Url, channel: Type.Optional(Type.String({ maxLength: 255 })) }),
  SLACK_APP: Type.Object({
    slackChannels: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { minItems: 1, maxItems: 100 }),
  }),
  WEBHOOK: Type.Object({
    name: Name,
    url: Url,
    method: OneOf(['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'PATCH'], { default: 'POST' }),
    headers: KeyValues,
    queryParameters: KeyValues,
    template: Type.Optional(Nullable(Type.String({ maxLength: 65_536, description: 'Handlebars' }))),
    webhookType: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
    webhookSecret: Type.Optional(Nullable(Credential)),
  }),
  SMS: Type.Object(phone),
  CALL: Type.Object(phone),
  PAGERDUTY: Type.Object({
    account: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
    serviceName: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
    serviceKey: Credential,
  }),
  OPSGENIE: Type.Object({
    name: Name,
    apiKey: Credential,
    region: OneOf(['US', 'EU'], { default: 'US' }),
    priority: OneOf(['P1', 'P2', 'P3', 'P4', 'P5'], { default: 'P3' }),
  }),
} as const satisfies Record<string, TObject>
export type ChannelType = keyof typeof channelConfigs

/** When a channel is used (semantics §1). */
const channelFields = {
  sendRecovery: Type.Boolean({ default: true }),
  sendFailure: Type.Boolean({ default: true }),
  sendDegraded: Type.Boolean({ default: false }),
  sslExpiry: Type.Boolean({ default: false }),
  sslExpiryThreshold: Type.Integer({ default: 30, minimum: 1, maximum: 30, description: 'days' }),
  autoSubscribe: Type.Boolean({
    default: false,
    description: 'checks and groups made without alertChannelSubscriptions are subscribed',
  }),
}

const body = <T extends ChannelType>(type: T) =>
  Type.Object({
    type: Type.Literal(type),
    config: channelConfigs[type],
    ...channelFields,
    subscriptions: Type.Optional(
      Type.Array(ChannelSubscriptionBody, {
        maxItems: 10_000,
        description: 'left out, they stay as they are',
      }),
    ),
  })

export const AlertChannelBody = Type.Union([
  body('EMAIL'),
  body('SLACK'),
  body('SLACK_APP'),
  body('WEBHOOK'),
  body('SMS'),
  body('CALL'),
  body('PAGERDUTY'),
  body('OPSGENIE'),
])
export type AlertChannelBody = Static<typeof AlertChannelBody>

/** Its credentials are told to nobody: they are empty. */
export const AlertChannel = Type.Object({
  id: Type.Integer(),
  type: Type.String(),
  config: Type.Record(Type.String(), Type.Unknown()),
  ...channelFields,
  subscriptions: Type.Array(ChannelSubscription),
  created_at: DateTimeText,
  updated_at: Nullable(DateTimeText),
})
export type AlertChannel = Static<typeof AlertChannel>
