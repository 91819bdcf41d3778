import type { ClientCertificateCreate } from '../../../contract/resources/client-certificate.ts'
import type { Clock } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import type { Sealer } from '../../../lib/sealing.ts'
import { lockAccount } from '../../../storage/accounts.ts'
import {
  countClientCertificates,
  deleteClientCertificate,
  insertClientCertificate,
} from '../../../storage/client-certificates.ts'
import type { Database } from '../../../storage/database.ts'
import { renewDefinitions } from '../../../storage/definition-versions.ts'
import type { Schema } from '../../../storage/schema.ts'
import { ApiError, inputInvalid, notFound } from '../../http/api-error.ts'
import { sealedPlaces } from '../../secrets/sealed-places.ts'
import { certificateFaults } from './faults.ts'

export interface CertificateOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
}

type CertificateRow = Schema['clientCertificates']

/** Of one account. */
const maxCertificates = 100

/** @throws ApiError 400 naming every fault, 409 when the account has its fill of certificates */
export function createCertificate(
  { database, clock, sealer }: CertificateOptions,
  accountId: string,
  certificate: ClientCertificateCreate,
): Promise<CertificateRow> {
  const faults = certificateFaults(certificate)
  if (faults.length > 0) throw inputInvalid(faults)
  const { host, cert, key, passphrase, ca } = certificate
  const id = newId()
  const row: CertificateRow = {
    id,
    accountId,
    host,
    cert,
    key: sealer.seal(key, sealedPlaces.certificateKey(id)),
    passphrase: passphrase ? sealer.seal(passphrase, sealedPlaces.certificatePassphrase(id)) : null,
    ca,
    createdAt: clock.now(),
  }
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    if ((await countClientCertificates(db, accountId)) >= maxCertificates)
      throw new ApiError(
        'CONFLICT',
        `An account has at most ${maxCertificates} client certificates: delete one first`,
      )
    await insertClientCertificate(db, row)
    await renewDefinitions(db, accountId)
    return row
  })
}

/** @throws ApiError 404 */
export function removeCertificate(
  { database }: CertificateOptions,
  accountId: string,
  id: string,
): Promise<void> {
  return database.transaction(async (db) => {
    await lockAccount(db, accountId)
    if (!(await deleteClientCertificate(db, accountId, id))) throw notFound('client certificate')
    await renewDefinitions(db, accountId)
  })
}
