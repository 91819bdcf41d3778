import { Type } from 'typebox'
import { OneOf } from './schema.ts'

/** service.md, triggerIncident; severities of semantics §1. */
export const TriggerIncident = Type.Object({
  serviceId: Type.String(),
  severity: OneOf(['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR']),
  name: Type.String(),
  description: Type.String(),
  notifySubscribers: Type.Boolean({ default: false }),
})
