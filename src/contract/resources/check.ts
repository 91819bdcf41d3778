import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { checkSchemas } from '../check-schemas.ts'
import { type CheckTypeName, checkTypeNames } from '../check-types.ts'
import { HeartbeatCheck } from '../checks/heartbeat/check.ts'
import { KeyValue } from '../key-value.ts'
import { pageQuery } from '../paging.ts'
import { Nullable, OneOf, Text } from '../schema.ts'
import { timestamps } from '../wire-time.ts'
import { AlertChannelSubscription } from './alert-subscription.ts'

/** service.md, alertChannels (response only) */
export const AlertChannels = Type.Object({
  email: Type.Array(Type.Object({ address: Type.String() })),
  webhook: Type.Array(
    Type.Object({
      name: Type.String(),
      url: Type.String(),
      method: Type.String(),
      headers: Type.Array(KeyValue),
      queryParameters: Type.Array(KeyValue),
    }),
  ),
  slack: Type.Array(Type.Object({ url: Type.String() })),
  sms: Type.Array(Type.Object({ number: Type.String(), name: Type.String() })),
})
export type AlertChannels = Static<typeof AlertChannels>

/** What was sent of a check of this type, and what the service adds. */
const resourceOf = <const T extends CheckTypeName, F extends TProperties>(type: T, sent: F) =>
  Type.Object({
    id: Type.String(),
    checkType: Type.Literal(type),
    ...sent,
    alertChannelSubscriptions: Type.Array(AlertChannelSubscription),
    alertChannels: Nullable(AlertChannels),
    ...timestamps,
  })

const resourceOfAll = <const T extends CheckTypeName>(type: T) =>
  resourceOf(type, checkSchemas[type].create.properties)

const { name, activated, muted, tags, alertSettings, useGlobalAlertSettings, heartbeat } =
  HeartbeatCheck.properties
const { triggerIncident, runParallel, description } = HeartbeatCheck.properties

/** service.md: a heartbeat response carries only these. */
const heartbeatFields = {
  name,
  activated,
  muted,
  tags,
  alertSettings,
  useGlobalAlertSettings,
  triggerIncident,
  runParallel,
  description,
  heartbeat: Type.Object({
    ...heartbeat.properties,
    pingToken: Type.String(),
    pingUrl: Type.String({ description: 'where pings are sent to' }),
  }),
}

/** A check of each type in an answer. */
export const checkResources = {
  AGENTIC: resourceOfAll('AGENTIC'),
  API: resourceOfAll('API'),
  BROWSER: resourceOfAll('BROWSER'),
  DNS: resourceOfAll('DNS'),
  HEARTBEAT: resourceOf('HEARTBEAT', heartbeatFields),
  ICMP: resourceOfAll('ICMP'),
  MULTI_STEP: resourceOfAll('MULTI_STEP'),
  PLAYWRIGHT: resourceOfAll('PLAYWRIGHT'),
  TCP: resourceOfAll('TCP'),
  URL: resourceOfAll('URL'),
} as const satisfies Record<CheckTypeName, TSchema>

/** What all of them have; `checkResources` says the rest. */
export interface CheckResource {
  readonly id: string
  readonly checkType: CheckTypeName
}
export const CheckResource = Type.Unsafe<CheckResource>(Type.Union(Object.values(checkResources)))

export const ApplyGroupSettingsQuery = Type.Object({
  applyGroupSettings: Type.Boolean({ default: false, description: 'as the check runs in its group' }),
})

export const CheckListQuery = Type.Object({
  ...pageQuery,
  apiCheckUrlFilterPattern: Type.Optional(Text({ maxLength: 2048 })),
  tag: Type.Optional(Type.Array(Text({ maxLength: 255 }), { maxItems: 20 })),
  checkType: Type.Optional(OneOf(checkTypeNames)),
  search: Type.Optional(Text({ maxLength: 255 })),
  status: Type.Optional(OneOf(['passing', 'failing', 'degraded'])),
  ...ApplyGroupSettingsQuery.properties,
})

export const AutoAssignAlertsQuery = Type.Object({ autoAssignAlerts: Type.Boolean({ default: true }) })
