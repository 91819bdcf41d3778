import type { TypedCheck } from '../../../contract/check-schemas.ts'
import { typedCheck } from './read-check.ts'

/**
 * The check after an update that was read by its type's schema: everything is replaced but what may be left out and was.
 * A heartbeat's token is for life, since whoever pings knows it.
 */
export function updatedCheck(previous: TypedCheck, update: unknown): TypedCheck {
  const { type } = previous
  const sent = new Map(Object.entries(update ?? {}))
  const kept = Object.entries(previous.check).filter(([key]) => mayBeLeftOut.has(key) && !sent.has(key))
  // By the schemas, create and update differ in these fields only.
  const updated = typedCheck(type, Object.fromEntries([...kept, ...sent]))
  if (updated.type !== 'HEARTBEAT' || previous.type !== 'HEARTBEAT') return updated
  const { check } = updated
  const { pingToken = null } = previous.check.heartbeat
  return { type: 'HEARTBEAT', check: { ...check, heartbeat: { ...check.heartbeat, pingToken } } }
}

const mayBeLeftOut: ReadonlySet<string> = new Set(['name', 'request', 'script', 'heartbeat'])
