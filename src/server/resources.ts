import type { Clock } from '../lib/clock.ts'
import type { Sealer } from '../lib/sealing.ts'
import type { Database } from '../storage/database.ts'
import type { OwnDowntime } from './heartbeats/own-downtime.ts'
import { pingRoutes } from './heartbeats/ping-routes.ts'
import type { App } from './http/app-type.ts'
import type { CountStranger } from './http/limit-strangers.ts'
import { onDemandOptions } from './on-demand/on-demand.ts'
import { accountRoutes } from './resources/accounts/routes.ts'
import { alertChannelRoutes } from './resources/alert-channels/routes.ts'
import { alertNotificationRoutes } from './resources/alert-notifications/routes.ts'
import { analyticsRoutes } from './resources/analytics/routes.ts'
import { badgeRoutes } from './resources/badges/routes.ts'
import { cancelRoutes } from './resources/cancel/routes.ts'
import { checkAlertRoutes } from './resources/check-alerts/routes.ts'
import { checksOfGroupRoutes } from './resources/check-groups/checks-routes.ts'
import { checkGroupRoutes } from './resources/check-groups/routes.ts'
import { checkResultRoutes } from './resources/check-results/routes.ts'
import { toResource as toCheckResult } from './resources/check-results/to-resource.ts'
import { checkSessionRoutes } from './resources/check-sessions/routes.ts'
import { checkStatusRoutes } from './resources/check-statuses/routes.ts'
import { checkRoutes } from './resources/checks/routes.ts'
import { clientCertificateRoutes } from './resources/client-certificates/routes.ts'
import { dashboardRoutes } from './resources/dashboards/routes.ts'
import { entitlementRoutes } from './resources/entitlements/routes.ts'
import { errorGroupRoutes } from './resources/error-groups/routes.ts'
import { heartbeatEventRoutes } from './resources/heartbeat-events/routes.ts'
import { incidentRoutes } from './resources/incidents/routes.ts'
import { ledgerRoutes } from './resources/ledger/routes.ts'
import { locationRoutes } from './resources/locations/routes.ts'
import { maintenanceWindowRoutes } from './resources/maintenance-windows/routes.ts'
import { memberRoutes } from './resources/members/routes.ts'
import { privateLocationMetricsRoute } from './resources/private-locations/metrics-route.ts'
import { privateLocationRoutes } from './resources/private-locations/routes.ts'
import { reportingRoutes } from './resources/reporting/routes.ts'
import { rootCauseAnalysisRoutes } from './resources/root-cause-analyses/routes.ts'
import { runtimeRoutes } from './resources/runtimes/routes.ts'
import { snippetRoutes } from './resources/snippets/routes.ts'
import type { StaticIp } from './resources/static-ips/parse-static-ips.ts'
import { staticIpRoutes } from './resources/static-ips/routes.ts'
import { statusPageRoutes } from './resources/status-pages/routes.ts'
import { testSessionRoutes } from './resources/test-sessions/routes.ts'
import { publicTriggerRoutes } from './resources/triggers/public-routes.ts'
import { triggerRoutes } from './resources/triggers/routes.ts'
import { userRoutes } from './resources/users/routes.ts'
import { variableRoutes } from './resources/variables/routes.ts'
import type { WakeUp } from './wake-up.ts'

export interface ResourceOptions {
  /** What the service is reached by; undefined for the address that it listens on. */
  readonly publicOrigin?: string | undefined
  readonly database: Database
  readonly clock: Clock
  readonly sealer: Sealer
  /** What one key may do; routes with a limit of their own go by it. */
  readonly rateLimitAMinute: number
  /** Told of runs that were planned in this process, and tells of those that ended in it. */
  readonly planned?: WakeUp | undefined
  /** Ends the waits of long polls when the service stops. */
  readonly closing?: AbortSignal | undefined
}

export interface PublicResourceOptions extends ResourceOptions {
  readonly staticIps: readonly StaticIp[]
  readonly badges: boolean
  /** Of a server that takes part in saying that we are alive. */
  readonly downtime?: OwnDowntime | undefined
  /** Of what is asked for without a key. */
  readonly countStranger: CountStranger
}

/** Routes that need no key (semantics §2). */
export function publicResources(app: App, options: PublicResourceOptions): void {
  if (options.badges) badgeRoutes(app, { db: options.database.kysely })
  locationRoutes(app)
  runtimeRoutes(app)
  staticIpRoutes(app, options.staticIps)
  pingRoutes(app, options)
  publicTriggerRoutes(app, { ...onDemandOptions(app, options), countStranger: options.countStranger })
}

/** Routes that need an API key: each resource is one folder and one line here. */
export function accountResources(app: App, options: ResourceOptions): void {
  const db = options.database.kysely
  const onDemand = onDemandOptions(app, options)
  accountRoutes(app, { db })
  memberRoutes(app, { db })
  analyticsRoutes(app, options)
  alertChannelRoutes(app, options)
  alertNotificationRoutes(app, options)
  cancelRoutes(app, onDemand)
  checkAlertRoutes(app, options)
  checkRoutes(app, { ...options, publicOrigin: () => options.publicOrigin ?? app.listeningOrigin })
  heartbeatEventRoutes(app, options)
  checkGroupRoutes(app, options)
  checksOfGroupRoutes(app, options)
  checkResultRoutes(app, { db })
  checkSessionRoutes(app, onDemand)
  checkStatusRoutes(app, { db, clock: options.clock })
  clientCertificateRoutes(app, options)
  dashboardRoutes(app, options)
  entitlementRoutes(app)
  errorGroupRoutes(app, options)
  incidentRoutes(app, options)
  ledgerRoutes(app, options)
  maintenanceWindowRoutes(app, options)
  privateLocationRoutes(app, options)
  privateLocationMetricsRoute(app, options)
  reportingRoutes(app, options)
  rootCauseAnalysisRoutes(app)
  snippetRoutes(app, options)
  testSessionRoutes(app, { ...onDemand, toCheckResult })
  triggerRoutes(app, onDemand)
  userRoutes(app)
  statusPageRoutes(app, options)
  variableRoutes(app, options)
}
