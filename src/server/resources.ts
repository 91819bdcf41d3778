import type { Clock } from '../lib/clock.ts'
import type { Sealer } from '../lib/sealing.ts'
import type { Database } from '../storage/database.ts'
import type { App } from './app-type.ts'
import { accountRoutes } from './resources/accounts/routes.ts'
import { checkResultRoutes } from './resources/check-results/routes.ts'
import { checkStatusRoutes } from './resources/check-statuses/routes.ts'
import { checkRoutes } from './resources/checks/routes.ts'
import { clientCertificateRoutes } from './resources/client-certificates/routes.ts'
import { privateLocationMetricsRoute } from './resources/private-locations/metrics-route.ts'
import { privateLocationRoutes } from './resources/private-locations/routes.ts'
import { runtimeRoutes } from './resources/runtimes/routes.ts'
import { variableRoutes } from './resources/variables/routes.ts'

export interface ResourceOptions {
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
}

/** Routes that need no key (semantics §2). */
export function publicResources(app: App): void {
  runtimeRoutes(app)
}

/** Routes that need an API key: each resource is one folder and one line here. */
export function accountResources(app: App, options: ResourceOptions): void {
  const db = options.database.kysely
  accountRoutes(app, { db })
  checkRoutes(app, options)
  checkResultRoutes(app, { db })
  checkStatusRoutes(app, { db })
  clientCertificateRoutes(app, options)
  privateLocationRoutes(app, options)
  privateLocationMetricsRoute(app, options)
  variableRoutes(app, options)
}
