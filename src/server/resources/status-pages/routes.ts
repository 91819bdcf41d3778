import type { App } from '../../http/app-type.ts'
import { incidentCollection } from './incident-collection.ts'
import { incidentRoutes } from './incident-routes.ts'
import { incidentUpdateRoutes } from './incident-update-routes.ts'
import type { StatusPageOptions } from './options.ts'
import { pageCollection } from './page-collection.ts'
import { pageRoutes } from './page-routes.ts'
import { serviceCollection } from './service-collection.ts'
import { serviceRoutes } from './service-routes.ts'
import { subscriptionCollection } from './subscribe.ts'
import { subscriptionRoutes } from './subscription-routes.ts'

/** Pages, the services they show, what happens to these, and who is told. */
export function statusPageRoutes(app: App, { database, clock }: StatusPageOptions): void {
  const options = { database, clock }
  const services = serviceCollection(options)
  const incidents = incidentCollection(options)
  const pages = pageCollection(options)
  pageRoutes(app, { pages, services, incidents, clock })
  serviceRoutes(app, services)
  incidentRoutes(app, { incidents, services, clock })
  incidentUpdateRoutes(app, { incidents, clock })
  subscriptionRoutes(app, { ...options, pages, subscriptions: subscriptionCollection(options) })
}
