import type { Kysely } from 'kysely'
import type { TypedCheck } from '../../../contract/check-schemas.ts'
import { newId } from '../../../lib/ids.ts'
import { accountsOfToken } from '../../../storage/heartbeat-tokens.ts'
import type { Schema } from '../../../storage/schema.ts'
import { ApiError } from '../../http/api-error.ts'

/** Each of them is written for every ping. */
const mostOfOneToken = 20

/** A heartbeat that was sent without a token has one made for it. */
export function withPingToken(typed: TypedCheck): TypedCheck {
  if (typed.type !== 'HEARTBEAT') return typed
  const { type, check } = typed
  const pingToken = check.heartbeat.pingToken || newId()
  return { type, check: { ...check, heartbeat: { ...check.heartbeat, pingToken } } }
}

/**
 * Heartbeats of an account may share a token; whoever has one of another account's would read what its jobs say.
 * @throws ApiError 409
 */
export async function assertTokenFree(
  db: Kysely<Schema>,
  accountId: string,
  typed: TypedCheck,
): Promise<void> {
  if (typed.type !== 'HEARTBEAT') return
  const accounts = await accountsOfToken(db, typed.check.heartbeat.pingToken ?? '', mostOfOneToken)
  const text = '"heartbeat.pingToken" is not free: leave it out, and one is made'
  if (accounts.some((id) => id !== accountId)) throw new ApiError('CONFLICT', text)
  if (accounts.length < mostOfOneToken) return
  throw new ApiError(
    'CONFLICT',
    `"heartbeat.pingToken" is shared by ${mostOfOneToken} heartbeats, the most there may be`,
  )
}
