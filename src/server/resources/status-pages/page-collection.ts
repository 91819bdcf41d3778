import { deleteDocumentsOf } from '../../../storage/documents.ts'
import { Collection, type UniqueKey } from '../../stored/collection.ts'
import type { StatusPageOptions } from './options.ts'
import { type Page, serviceIdsOf } from './page.ts'
import { servicesInCards } from './page-faults.ts'
import { assertServicesExist } from './service-collection.ts'

export type PageCollection = Collection<Page>

export const pageCollection = (options: StatusPageOptions): PageCollection =>
  new Collection(options, {
    kind: 'status-page',
    what: 'status page',
    ids: 'uuid',
    most: 100,
    keysOf: addressesOf,
    linksOf: serviceIdsOf,
    check: (db, accountId, page) => assertServicesExist(db, accountId, servicesInCards(page)),
    onRemove: (db, { id }) => deleteDocumentsOf(db, 'status-page-subscription', id),
  })

/** Where visitors find the page: names of hosts, which have no case. */
function addressesOf({ url, customDomain }: Page): UniqueKey[] {
  return [address('url', url), ...(customDomain ? [address('customDomain', customDomain)] : [])]
}

const address = (field: string, value: string): UniqueKey => ({
  key: `${field} ${value.toLowerCase()}`,
  conflict: `The ${field} ${JSON.stringify(value)} is that of another status page: choose another one`,
})
