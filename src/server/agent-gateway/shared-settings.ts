import type { Kysely } from 'kysely'
import type { ClientCertificate } from '../../contract/client-certificate.ts'
import type { Variable } from '../../contract/variable.ts'
import type { Sealer } from '../../lib/sealing.ts'
import { listClientCertificates } from '../../storage/client-certificates.ts'
import type { Schema } from '../../storage/schema.ts'
import { listAllVariables } from '../../storage/variables.ts'
import { sealedPlaces } from '../secrets/sealed-places.ts'

/** What all checks of an account share. */
export interface SharedSettings {
  readonly variables: readonly Variable[]
  /** Newest first. */
  readonly clientCertificates: ClientCertificate[]
}

function openVariable(sealer: Sealer, row: Schema['variables']): Variable {
  const { key, value } = row
  const secret = row.secret === 1
  return {
    key,
    value: secret ? sealer.open(value, sealedPlaces.variable(row)) : value,
    locked: row.locked === 1,
    secret,
  }
}

function openCertificate(sealer: Sealer, row: Schema['clientCertificates']): ClientCertificate {
  const { id, host, cert, key, passphrase, ca } = row
  return {
    host,
    certificate: cert,
    key: sealer.open(key, sealedPlaces.certificateKey(id)),
    passphrase: passphrase === null ? null : sealer.open(passphrase, sealedPlaces.certificatePassphrase(id)),
    ca: ca === '' ? null : ca,
  }
}

/** For whoever runs the account's checks: secrets opened. @throws AppError SECRET_UNREADABLE */
export async function sharedSettings(
  db: Kysely<Schema>,
  sealer: Sealer,
  accountId: string,
): Promise<SharedSettings> {
  const variables = await listAllVariables(db, accountId)
  const certificates = await listClientCertificates(db, accountId)
  return {
    variables: variables.map((row) => openVariable(sealer, row)),
    clientCertificates: certificates.map((row) => openCertificate(sealer, row)),
  }
}
