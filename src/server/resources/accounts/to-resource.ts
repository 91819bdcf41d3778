import { Type } from 'typebox'
import { AlertSettings } from '../../../contract/alert-settings.ts'
import { type Account, selfHostedPlan } from '../../../contract/resources/account.ts'
import { validator } from '../../../lib/validate.ts'
import type { Schema } from '../../../storage/schema.ts'

const withDefaults = validator(Type.Object({ alertSettings: AlertSettings }))

export function toResource({ id, name, runtimeId }: Schema['accounts']): Account {
  const defaults = withDefaults({})
  if (defaults.kind === 'invalid') throw new Error('the default alert settings do not fit their own schema')
  const { alertSettings } = defaults.value
  return { id, name, runtimeId, ...selfHostedPlan, settings: {}, alertSettings }
}
