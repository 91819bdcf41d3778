import type { ApiRequest } from '../contract/checks/api/request.ts'
import type { HeartbeatCheck } from '../contract/checks/heartbeat/check.ts'

/** What a heartbeat runs before it pings for itself; null for one that waits for the pings of others (semantics §7). */
export function heartbeatRequest({ request }: Pick<HeartbeatCheck, 'request'>): ApiRequest | null {
  return request && request.url !== '' ? request : null
}
