import { Type } from 'typebox'
import { Severity } from './severity.ts'

/** service.md, triggerIncident */
export const TriggerIncident = Type.Object({
  serviceId: Type.String(),
  severity: Severity,
  name: Type.String(),
  description: Type.String(),
  notifySubscribers: Type.Boolean({ default: false }),
})
