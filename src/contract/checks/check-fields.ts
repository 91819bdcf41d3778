import { Type } from 'typebox'
import { AlertSettings } from '../alert-settings.ts'
import { DataCenterLocation, dataCenterLocations } from '../locations.ts'
import { RuntimeId } from '../runtime-ids.ts'
import { Nullable, OneOf, Text } from '../schema.ts'
import { TriggerIncident } from '../trigger-incident.ts'

/** Minutes between two runs; 0 means every `frequencyOffset` seconds (service.md). */
export const frequencies = [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const

const AlertChannelSubscription = Type.Object({
  alertChannelId: Type.Number(),
  activated: Type.Boolean({ default: true }),
})

/** The fields that every check type has (service.md, shared by API and heartbeat checks), `name` aside. */
export const checkFields = {
  activated: Type.Boolean({ default: true }),
  muted: Type.Boolean({ default: false }),
  doubleCheck: Type.Boolean({ default: true, description: 'deprecated, use retryStrategy' }),
  shouldFail: Type.Boolean({ default: false }),
  locations: Nullable(
    Type.Array(DataCenterLocation, { uniqueItems: true, maxItems: dataCenterLocations.length }),
    { default: [] },
  ),
  tags: Type.Array(Text({ maxLength: 255 }), { default: [], maxItems: 100 }),
  alertSettings: AlertSettings,
  useGlobalAlertSettings: Type.Boolean({ default: true }),
  groupId: Nullable(Type.Integer(), { default: null }),
  groupOrder: Nullable(Type.Number({ minimum: 0 }), { default: null }),
  runtimeId: Nullable(RuntimeId, { default: null }),
  alertChannelSubscriptions: Type.Array(AlertChannelSubscription, { default: [], maxItems: 1000 }),
  triggerIncident: Type.Optional(Nullable(TriggerIncident)),
  runParallel: Type.Boolean({ default: false }),
  description: Nullable(Type.String({ maxLength: 500 }), { default: null }),
  frequency: OneOf(frequencies, { default: 10 }),
  frequencyOffset: Type.Optional(Type.Integer({ minimum: 1 })),
  privateLocations: Nullable(Type.Array(Text({ maxLength: 30 }), { uniqueItems: true, maxItems: 100 }), {
    default: [],
  }),
}
