import type { ClientCertificateResource } from '../../../contract/resources/client-certificate.ts'
import { dateTimeText } from '../../../contract/wire-time.ts'
import type { Schema } from '../../../storage/schema.ts'

export function toResource(row: Schema['clientCertificates']): ClientCertificateResource {
  const { id, host, cert, ca, createdAt } = row
  return { id, host, cert, ca, created_at: dateTimeText(createdAt) }
}
