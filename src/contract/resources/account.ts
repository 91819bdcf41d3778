import { type Static, Type } from 'typebox'
import { AlertSettings } from '../alert-settings.ts'
import { OneOf } from '../schema.ts'

const Addon = Type.Object({ tier: OneOf(['hobby', 'starter', 'team']), tierDisplayName: Type.String() })

/** What an account has bought: with a service of one's own, all there is. */
export const Plan = {
  plan: Type.String(),
  planDisplayName: Type.String(),
  addons: Type.Object({ communicate: Addon, resolve: Addon }),
}

/** service.md, Account */
export const Account = Type.Object({
  id: Type.String(),
  name: Type.String(),
  runtimeId: Type.String(),
  ...Plan,
  settings: Type.Record(Type.String(), Type.Unknown()),
  alertSettings: AlertSettings,
})
export type Account = Static<typeof Account>

/** Clients know the highest tier by this name. */
const everything = { tier: 'team', tierDisplayName: 'Self-hosted' } as const
export const selfHostedPlan = {
  plan: 'self-hosted',
  planDisplayName: 'Self-hosted',
  addons: { communicate: everything, resolve: everything },
} as const
