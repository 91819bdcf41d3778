import { OneOf } from './schema.ts'

/** Of an incident (semantics §1, triggerIncident.severity). */
export const Severity = OneOf(['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR'])
