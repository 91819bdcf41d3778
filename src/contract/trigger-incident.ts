import { Type } from 'typebox'
import { Severity } from './severity.ts'

/** service.md, triggerIncident */
export const TriggerIncident = Type.Object({
  serviceId: Type.String({
    maxLength: 100,
    description: 'of a service of status pages; empty for none',
  }),
  severity: Severity,
  name: Type.String(),
  description: Type.String(),
  notifySubscribers: Type.Boolean({ default: false }),
})
