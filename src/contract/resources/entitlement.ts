import { type Static, Type } from 'typebox'
import { OneOf } from '../schema.ts'
import { Plan } from './account.ts'

export const Entitlement = Type.Object({
  key: Type.String(),
  name: Type.String(),
  description: Type.String(),
  type: OneOf(['flag', 'metered']),
  enabled: Type.Boolean(),
  quantity: Type.Optional(Type.Integer({ minimum: 0 })),
})
export type Entitlement = Static<typeof Entitlement>

/** What an account may use, in the words in which clients ask. */
export const Entitlements = Type.Object({
  ...Plan,
  locations: Type.Object({
    all: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), available: Type.Boolean() })),
    maxPerCheck: Type.Integer({ minimum: 1 }),
  }),
  entitlements: Type.Array(Entitlement),
})
export type Entitlements = Static<typeof Entitlements>
