import type { ApiCheckResource } from '../../../contract/resources/check.ts'
import { dateText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import type { Schema } from '../../../storage/schema.ts'
import { hideSecrets } from '../../check-variables.ts'
import { storedCheck } from '../../stored-check.ts'

/** What was sent, un-normalised and without the values of secrets, beside what the service adds (semantics §2). */
export function toResource(row: Schema['checks']): ApiCheckResource {
  return {
    ...hideSecrets(storedCheck(row)),
    id: row.id,
    checkType: 'API',
    alertChannels: { email: [], webhook: [], slack: [], sms: [] },
    created_at: dateText(row.createdAt),
    updated_at: dateTimeTextOrNull(row.updatedAt),
  }
}
