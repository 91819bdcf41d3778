import { Type } from 'typebox'
import { AlertSettings } from '../alert-settings.ts'
import { DataCenterLocation, dataCenterLocations } from '../locations.ts'
import { alertChannelSubscriptions } from '../resources/alert-subscription.ts'
import { RetryStrategy } from '../retry-strategy.ts'
import { RuntimeId } from '../runtime-ids.ts'
import { Nullable, OneOf, Text } from '../schema.ts'
import { TriggerIncident } from '../trigger-incident.ts'
import { maxVariables, Variable } from '../variable.ts'

/** Minutes between two runs; 0 means every `frequencyOffset` seconds (service.md). */
export const frequencies = [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const
const wholeMinutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const

/** Of the types that have no runs below a minute (service.md: frequency 0 is for API and TCP checks only). */
export const wholeMinuteFrequency = OneOf(wholeMinutes, {
  default: 10,
  description: 'minutes between two runs',
})

export const CheckName = Text({ minLength: 1, maxLength: 255 })

/** A threshold in milliseconds (semantics §1, time limits). */
export const thresholdMs = (preset: number, maximum: number) =>
  Nullable(Type.Number({ minimum: 0, maximum }), {
    default: preset,
    description: 'milliseconds, passed by more than this',
  })

/** The fields that every check type has (service.md, shared by API and heartbeat checks), `name` aside. */
export const checkFields = {
  activated: Type.Boolean({ default: true, description: 'whether it runs' }),
  muted: Type.Boolean({ default: false }),
  doubleCheck: Type.Boolean({ default: true, description: 'deprecated, use retryStrategy' }),
  shouldFail: Type.Boolean({
    default: false,
    description:
      'a status of 400 or above (API, URL), or a refused connection (TCP), is what is expected, and fails the check where it is not',
  }),
  locations: Nullable(
    Type.Array(DataCenterLocation, { uniqueItems: true, maxItems: dataCenterLocations.length }),
    { default: [], description: 'data-center locations that it runs at; one here or in privateLocations' },
  ),
  tags: Type.Array(Text({ maxLength: 255 }), { default: [], maxItems: 100 }),
  alertSettings: AlertSettings,
  useGlobalAlertSettings: Type.Boolean({ default: true }),
  groupId: Nullable(Type.Integer(), { default: null }),
  groupOrder: Nullable(Type.Number({ minimum: 0 }), { default: null }),
  runtimeId: Nullable(RuntimeId, { default: null }),
  alertChannelSubscriptions,
  triggerIncident: Type.Optional(Nullable(TriggerIncident)),
  runParallel: Type.Boolean({
    default: false,
    description: 'at all locations at each turn, else at one after the other',
  }),
  description: Nullable(Type.String({ maxLength: 500 }), { default: null }),
  frequency: OneOf(frequencies, {
    default: 10,
    description: 'minutes between two runs; 0: every frequencyOffset seconds',
  }),
  frequencyOffset: Type.Optional(
    Type.Integer({ minimum: 1, description: 'seconds between two runs, with a frequency of 0' }),
  ),
  privateLocations: Nullable(Type.Array(Text({ maxLength: 30 }), { uniqueItems: true, maxItems: 100 }), {
    default: [],
    description: 'slugs of private locations that it runs at',
  }),
}

/** Of the types that are tried again. */
export const retryFields = { retryStrategy: Type.Optional(Nullable(RetryStrategy)) }

/** Of the types that have variables of their own. */
export const variableFields = {
  environmentVariables: Type.Optional(Nullable(Type.Array(Variable, { maxItems: maxVariables }))),
}

const Script = Nullable(Type.String({ maxLength: 1_048_576 }), { default: null })

/** What runs before and after a request, of checks and of groups. */
export const scriptFields = {
  setupSnippetId: Nullable(Type.Integer(), { default: null }),
  tearDownSnippetId: Nullable(Type.Integer(), { default: null }),
  localSetupScript: Script,
  localTearDownScript: Script,
}
