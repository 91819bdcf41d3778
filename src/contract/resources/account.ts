import { Type } from 'typebox'
import { AlertSettings } from '../alert-settings.ts'

const Addon = Type.Object({ tier: Type.String(), tierDisplayName: Type.String() })

/** service.md, Account */
export const Account = Type.Object({
  id: Type.String(),
  name: Type.String(),
  runtimeId: Type.String(),
  plan: Type.String(),
  planDisplayName: Type.String(),
  addons: Type.Object({ communicate: Addon, resolve: Addon }),
  settings: Type.Record(Type.String(), Type.Unknown()),
  alertSettings: AlertSettings,
})
