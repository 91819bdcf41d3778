import { type Static, Type } from 'typebox'
import { AlertSettings } from '../alert-settings.ts'
import { CheckTypeName } from '../check-types.ts'
import { ApiRequest, BasicAuth } from '../checks/api/request.ts'
import { checkFields, scriptFields } from '../checks/check-fields.ts'
import { pageQuery } from '../paging.ts'
import { RetryStrategy } from '../retry-strategy.ts'
import { Nullable, Text } from '../schema.ts'
import { maxVariables, Variable } from '../variable.ts'
import { timestamps } from '../wire-time.ts'

const { headers, queryParameters, assertions } = ApiRequest.properties

/** What the API checks of a group start from (semantics §6). */
const ApiCheckDefaults = Type.Object(
  {
    url: Nullable(Text({ maxLength: 2048 }), { default: '' }),
    headers,
    queryParameters,
    assertions,
    basicAuth: Type.Optional(Nullable(BasicAuth)),
  },
  { default: {} },
)

/** In the place of a strategy: each check keeps its own. */
const Fallback = Type.Literal('FALLBACK')

const { activated, muted, tags, locations, privateLocations, runtimeId, alertChannelSubscriptions } =
  checkFields

const groupFields = {
  activated,
  muted,
  tags,
  locations,
  concurrency: Type.Number({ default: 3, minimum: 1, maximum: 1000 }),
  apiCheckDefaults: ApiCheckDefaults,
  browserCheckDefaults: Type.Optional(Type.Unknown()),
  runtimeId,
  environmentVariables: Type.Optional(Nullable(Type.Array(Variable, { maxItems: maxVariables }))),
  alertChannelSubscriptions,
  ...scriptFields,
  privateLocations,
}

/** Of the second kind: it goes over a check's setting only where it says something. */
export const CheckGroupBody = Type.Object({
  name: Text({ minLength: 1, maxLength: 255 }),
  ...groupFields,
  runParallel: Nullable(Type.Boolean(), { default: null }),
  alertSettings: Type.Optional(Nullable(AlertSettings)),
  useGlobalAlertSettings: Nullable(Type.Boolean(), { default: null }),
  retryStrategy: Type.Union([Fallback, RetryStrategy, Type.Null()], { default: 'FALLBACK' }),
  doubleCheck: Type.Boolean({ default: false, description: 'deprecated, use retryStrategy' }),
})
export type CheckGroupBody = Static<typeof CheckGroupBody>

/** Of the first kind: it always goes over a check's settings. */
export const CheckGroupBodyV1 = Type.Object({
  ...CheckGroupBody.properties,
  runParallel: Type.Boolean({ default: false }),
  alertSettings: AlertSettings,
  useGlobalAlertSettings: Type.Boolean({ default: true }),
  doubleCheck: Type.Boolean({ default: true, description: 'deprecated, use retryStrategy' }),
})

/** An update of a group of the first kind may leave its name out. */
export const CheckGroupUpdateV1 = Type.Object({
  ...CheckGroupBodyV1.properties,
  name: Type.Optional(CheckGroupBody.properties.name),
})

/** A group as it is stored. */
export interface CheckGroup extends CheckGroupBody {
  /** Of the route that wrote it last: those of version 1 go over their checks' settings always (semantics §6). */
  readonly version: 1 | 2
}

export const CheckGroupResource = Type.Object({
  id: Type.Integer(),
  ...CheckGroupBody.properties,
  ...timestamps,
})
export type CheckGroupResource = Static<typeof CheckGroupResource>

export const CheckGroupListQuery = Type.Object({
  ...pageQuery,
  tag: Type.Optional(Type.Array(Text({ maxLength: 255 }), { maxItems: 20 })),
  name: Type.Optional(Type.Array(Text({ maxLength: 255 }), { maxItems: 20 })),
})

/** service.md, check listing item */
export const CheckGroupCheck = Type.Object({ id: Type.String(), checkType: CheckTypeName })
