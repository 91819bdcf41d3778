import { Type } from 'typebox'
import { CursorList, cursorQuery } from '../../../contract/cursor-list.ts'
import { ListedStatusPage, StatusPage, StatusPageBody } from '../../../contract/resources/status-page.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import { itemRoutes } from '../../http/crud-routes.ts'
import { boundedCursorList, readCursorPart } from '../../http/cursor-list.ts'
import { type FreshViewKey, freshViewKey } from '../../secrets/view-keys.ts'
import type { Stored } from '../../stored/collection.ts'
import { cursorOf, readBehind } from './cursor.ts'
import type { IncidentCollection } from './incident-collection.ts'
import { incidentsOnPage } from './incidents-on-page.ts'
import { type StatusPageOptions, tags } from './options.ts'
import { type Page, pageResource, serviceIdsOf } from './page.ts'
import type { PageCollection } from './page-collection.ts'
import { pageToStore } from './page-to-store.ts'
import { loadServices, type ServiceCollection } from './service-collection.ts'

const path = '/v1/status-pages'
/** A page with all its services and incidents is up to a megabyte or so. */
const mostCharacters = 8 * 1024 * 1024

interface PageOptions extends Pick<StatusPageOptions, 'clock'> {
  readonly pages: PageCollection
  readonly services: ServiceCollection
  readonly incidents: IncidentCollection
}

export function pageRoutes(app: App, { pages, services, incidents, clock }: PageOptions): void {
  async function show(page: Stored<Page>, fresh?: FreshViewKey): Promise<StatusPage> {
    const known = await loadServices(services, page.accountId, serviceIdsOf(page.definition))
    return pageResource(page, known, fresh)
  }

  async function showListed(page: Stored<Page>): Promise<ListedStatusPage> {
    return { ...(await show(page)), incidents: await incidentsOnPage({ incidents, services }, page) }
  }

  async function create(accountId: string, body: StatusPageBody): Promise<StatusPage> {
    const now = clock.now()
    const fresh = freshViewKey('sp_', now)
    return show(await pages.create(accountId, pageToStore(body, fresh.key, now)), fresh)
  }

  async function replace(accountId: string, id: string, body: StatusPageBody): Promise<StatusPage> {
    const now = clock.now()
    const fresh = freshViewKey('sp_', now)
    const page = await pages.change(accountId, id, ({ definition }) =>
      pageToStore(body, fresh.key, now, definition),
    )
    return show(page, fresh)
  }

  app.get(
    path,
    {
      schema: {
        tags,
        querystring: Type.Object(cursorQuery),
        response: { 200: CursorList(ListedStatusPage) },
      },
    },
    async (request) => {
      const part = await readCursorPart(request.query, readBehind(pages, accountOf(request)), cursorOf)
      return boundedCursorList(part, showListed, { cursorOf, mostCharacters })
    },
  )

  itemRoutes(app, {
    path,
    tags,
    ids: 'text',
    idName: 'statusPageId',
    schemas: { create: StatusPageBody, update: StatusPageBody, resource: StatusPage },
    actions: {
      create,
      replace,
      find: async (accountId, id) => show(await pages.find(accountId, id)),
      remove: (accountId, id) => pages.remove(accountId, id),
    },
  })
}
