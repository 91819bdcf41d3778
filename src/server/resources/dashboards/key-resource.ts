import type { DashboardKey } from '../../../contract/resources/dashboard.ts'
import { dateText } from '../../../contract/wire-time.ts'
import type { FreshViewKey, ViewKey } from '../../secrets/view-keys.ts'

/** With the key itself only where it is the fresh one. */
export function keyResource({ id, masked, createdAt }: ViewKey, fresh?: FreshViewKey): DashboardKey {
  return {
    id,
    rawKey: id === fresh?.key.id ? fresh.rawKey : masked,
    maskedKey: masked,
    created_at: dateText(createdAt),
    updated_at: null,
  }
}
