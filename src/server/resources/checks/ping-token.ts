import type { TypedCheck } from '../../../contract/check-schemas.ts'
import { newId } from '../../../lib/ids.ts'

/** A heartbeat that was sent without a token has one made for it. */
export function withPingToken(typed: TypedCheck): TypedCheck {
  if (typed.type !== 'HEARTBEAT') return typed
  const { type, check } = typed
  const pingToken = check.heartbeat.pingToken || newId()
  return { type, check: { ...check, heartbeat: { ...check.heartbeat, pingToken } } }
}
