import type { Seen } from '../../contract/outcome.ts'
import type { Redactor } from '../../rules/redaction/create-redactor.ts'

/** What may leave the agent of what was seen: without secrets, and bounded. */
export interface Telling<O, E> {
  readonly observation: (observation: O, redact: Redactor) => O
  readonly evidence: (evidence: E, redact: Redactor) => E
}

export function tellSeen<O, E>(seen: Seen<O, E>, telling: Telling<O, E>, redact: Redactor): Seen<O, E> {
  if (seen.kind === 'observed') return { ...seen, observation: telling.observation(seen.observation, redact) }
  const cause = { ...seen.cause, message: redact(seen.cause.message) }
  return { ...seen, cause, evidence: telling.evidence(seen.evidence, redact) }
}
