import type { Kysely } from 'kysely'
import type { AnyCheck } from '../../contract/checks/any-check.ts'
import type { Fault } from '../../lib/find-faults.ts'
import { existingDocumentIds } from '../../storage/documents.ts'
import { lockPrivateLocations } from '../../storage/private-locations.ts'
import type { Schema } from '../../storage/schema.ts'

/** What the settings of checks and of groups alike may name; a check names a service besides. */
type Referring = Pick<
  AnyCheck,
  'privateLocations' | 'setupSnippetId' | 'tearDownSnippetId' | 'alertChannelSubscriptions'
> &
  Pick<Partial<AnyCheck>, 'triggerIncident'>

function dangling(path: string, what: string, value: string | number): Fault {
  return {
    path,
    text: `"${path}" names ${JSON.stringify(value)}, which is the id of no ${what} of this account`,
  }
}

/**
 * Names every reference to what the account does not have. Belongs in a transaction that holds the account's lock: what
 * was found is not deleted before it ends. A service is deleted under the checks that name it: what `previous` named
 * already may be gone.
 */
export async function referenceFaults(
  db: Kysely<Schema>,
  accountId: string,
  settings: Referring,
  previous?: Referring,
): Promise<Fault[]> {
  return [
    ...(await serviceFaults(db, accountId, settings, previous)),
    ...(await privateLocationFaults(db, accountId, settings)),
    ...(await snippetFaults(db, accountId, settings)),
    ...(await channelFaults(db, accountId, settings)),
  ]
}

async function privateLocationFaults(
  db: Kysely<Schema>,
  accountId: string,
  { privateLocations }: Referring,
): Promise<Fault[]> {
  const known = await lockPrivateLocations(db, accountId, privateLocations ?? [])
  return (privateLocations ?? [])
    .filter((slug) => !known.some(({ slugName }) => slugName === slug))
    .map((slug) => ({
      path: 'privateLocations',
      text: `"privateLocations" names ${JSON.stringify(slug)}, which is the slugName of no private location of this account`,
    }))
}

/** An empty id names none: some clients send one for a check that triggers nothing. */
async function serviceFaults(
  db: Kysely<Schema>,
  accountId: string,
  { triggerIncident }: Referring,
  previous?: Referring,
): Promise<Fault[]> {
  const id = triggerIncident?.serviceId ?? ''
  if (id === '' || id === previous?.triggerIncident?.serviceId) return []
  const known = await existingDocumentIds(db, { kind: 'status-page-service', accountId }, [id])
  return known.length > 0 ? [] : [dangling('triggerIncident.serviceId', 'service of status pages', id)]
}

async function snippetFaults(
  db: Kysely<Schema>,
  accountId: string,
  { setupSnippetId, tearDownSnippetId }: Referring,
): Promise<Fault[]> {
  const named = Object.entries({ setupSnippetId, tearDownSnippetId }).flatMap(([path, id]) =>
    typeof id === 'number' ? [{ path, id }] : [],
  )
  const ids = named.map(({ id }) => String(id))
  const known = await existingDocumentIds(db, { kind: 'snippet', accountId }, ids)
  return named.flatMap(({ path, id }) => (known.includes(String(id)) ? [] : [dangling(path, 'snippet', id)]))
}

async function channelFaults(
  db: Kysely<Schema>,
  accountId: string,
  { alertChannelSubscriptions }: Referring,
): Promise<Fault[]> {
  const ids = (alertChannelSubscriptions ?? []).map(({ alertChannelId }) => alertChannelId)
  const known = await existingDocumentIds(db, { kind: 'alert-channel', accountId }, ids.map(String))
  return ids.flatMap((id, index) =>
    known.includes(String(id))
      ? []
      : [dangling(`alertChannelSubscriptions[${index}].alertChannelId`, 'alert channel', id)],
  )
}
