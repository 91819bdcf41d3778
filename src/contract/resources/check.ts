import { type Static, Type } from 'typebox'
import { checkTypeNames } from '../check-types.ts'
import { ApiCheck } from '../checks/api/check.ts'
import { KeyValue } from '../key-value.ts'
import { pageQuery } from '../paging.ts'
import { Nullable, OneOf, Text } from '../schema.ts'
import { timestamps } from '../wire-time.ts'

/** service.md, alertChannels (response only) */
const AlertChannels = Type.Object({
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

export const ApiCheckResource = Type.Object({
  id: Type.String(),
  checkType: Type.Literal('API'),
  ...ApiCheck.properties,
  alertChannels: Nullable(AlertChannels),
  ...timestamps,
})
export type ApiCheckResource = Static<typeof ApiCheckResource>

export const CheckListQuery = Type.Object({
  ...pageQuery,
  apiCheckUrlFilterPattern: Type.Optional(Text({ maxLength: 2048 })),
  tag: Type.Optional(Type.Array(Text({ maxLength: 255 }), { maxItems: 20 })),
  checkType: Type.Optional(OneOf(checkTypeNames)),
  search: Type.Optional(Text({ maxLength: 255 })),
  status: Type.Optional(OneOf(['passing', 'failing', 'degraded'])),
  applyGroupSettings: Type.Boolean({ default: false }),
})

export const AutoAssignAlertsQuery = Type.Object({ autoAssignAlerts: Type.Boolean({ default: true }) })
