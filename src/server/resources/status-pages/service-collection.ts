import type { Kysely } from 'kysely'
import type { StatusPageServiceBody } from '../../../contract/resources/status-page-service.ts'
import type { Fault } from '../../../lib/find-faults.ts'
import { listLinkedDocuments } from '../../../storage/document-links.ts'
import { findDocuments } from '../../../storage/documents.ts'
import type { Schema } from '../../../storage/schema.ts'
import type { DocumentKind } from '../../../storage/tables/document-tables.ts'
import { ApiError, inputInvalid } from '../../http/api-error.ts'
import { Collection } from '../../stored/collection.ts'
import type { StatusPageOptions } from './options.ts'
import type { ServicesById, StoredService } from './services.ts'

export type ServiceCollection = Collection<StatusPageServiceBody>

export const serviceCollection = (options: StatusPageOptions): ServiceCollection =>
  new Collection(options, {
    kind: 'status-page-service',
    what: 'service of status pages',
    ids: 'uuid',
    most: 1000,
    onRemove: refuseWhileShown,
  })

export async function loadServices(
  services: ServiceCollection,
  accountId: string,
  ids: readonly string[],
): Promise<ServicesById> {
  const stored = await services.findMany(accountId, ids)
  return new Map(stored.map((service) => [service.id, service]))
}

/** A text in a body that names a service: where it stands, and the id. */
export interface NamedService {
  readonly path: string
  readonly id: string
}

/** @throws ApiError 400 naming each place that names no service of the account */
export async function assertServicesExist(
  db: Kysely<Schema>,
  accountId: string,
  named: readonly NamedService[],
): Promise<void> {
  const ids = named.map(({ id }) => id)
  const rows = await findDocuments(db, { kind: 'status-page-service', accountId }, ids)
  const known = new Set(rows.map(({ id }) => id))
  const faults = named.filter(({ id }) => !known.has(id)).map(missing)
  if (faults.length > 0) throw inputInvalid(faults.slice(0, 20))
}

const missing = ({ path, id }: NamedService): Fault => ({
  path,
  text: `"${path}" must be the id of a service of the account, was ${JSON.stringify(id)}`,
})

const shownUsers = 5

async function refuseWhileShown(db: Kysely<Schema>, service: StoredService): Promise<void> {
  const pages = await namesOfUsers(db, 'status-page', service)
  const incidents = await namesOfUsers(db, 'status-page-incident', service)
  const users = [
    ...(pages.length > 0 ? [`the status pages ${pages.join(', ')}`] : []),
    ...(incidents.length > 0 ? [`the incidents ${incidents.join(', ')}`] : []),
  ]
  if (users.length === 0) return
  throw new ApiError('CONFLICT', `The service is named by ${users.join(' and ')}: remove it there first`)
}

async function namesOfUsers(
  db: Kysely<Schema>,
  kind: DocumentKind,
  { id, accountId }: StoredService,
): Promise<string[]> {
  const rows = await listLinkedDocuments(db, { kind, accountId }, [id], shownUsers + 1)
  const names = rows.slice(0, shownUsers).map(({ definition }) => JSON.stringify(nameIn(definition)))
  return rows.length > shownUsers ? [...names, '…'] : names
}

/** Pages and incidents both have one. */
function nameIn(definition: string): unknown {
  const { name }: { name?: unknown } = JSON.parse(definition)
  return name
}
