import { dataCenterLocations } from '../../../contract/locations.ts'
import { selfHostedPlan } from '../../../contract/resources/account.ts'
import type { Entitlement, Entitlements } from '../../../contract/resources/entitlement.ts'
import { locationNames } from '../../../contract/resources/location.ts'

/** Stands for "as many as the machine bears": clients want a number. */
const unbounded = 1_000_000

const metered = (key: string, name: string, quantity = unbounded): Entitlement => ({
  key,
  name,
  description: `How many there may be: ${name}`,
  type: 'metered',
  enabled: true,
  quantity,
})

const flag = (key: string, name: string): Entitlement => ({
  key,
  name,
  description: `Whether it may be used: ${name}`,
  type: 'flag',
  enabled: true,
})

/** Needs a browser or a test runner, which the service does not drive. */
const absent = (key: string, name: string): Entitlement => ({
  key,
  name,
  description: `${name}: not part of Picket`,
  type: 'metered',
  enabled: false,
  quantity: 0,
})

/** What clients look for before they use retries, parallel runs or short intervals of a kind of check. */
const families = [
  ['API_CHECKS', 'API checks'],
  ['UPTIME_CHECKS', 'uptime checks'],
] as const

const ofFamilies = families.flatMap(([key, name]) => [
  metered(key, name),
  flag(`${key}_RETRY_STRATEGY`, `retries of ${name}`),
  flag(`${key}_SCHEDULING_STRATEGY_PARALLEL`, `${name} that run in all locations at once`),
  flag(`${key}_FREQ_10S`, `${name} every 10 seconds`),
])

const entitlements: readonly Entitlement[] = [
  ...ofFamilies,
  metered('HEARTBEAT_CHECKS', 'heartbeat checks'),
  metered('PRIVATE_LOCATIONS', 'private locations'),
  metered('ALERT_CHANNELS', 'alert channels'),
  metered('DASHBOARDS', 'dashboards'),
  metered('STATUS_PAGES', 'status pages'),
  metered('MAINTENANCE_WINDOWS', 'maintenance windows'),
  flag('SMS_ALERTS', 'alerts by SMS'),
  flag('ADVANCED_ALERT_CHANNELS', 'alert channels of other services'),
  absent('BROWSER_CHECKS', 'browser checks'),
  absent('MULTI_STEP_CHECKS', 'multi-step checks'),
  absent('PLAYWRIGHT_CHECKS', 'Playwright check suites'),
]

/** Of every account: what the service has is enabled, and what it has not is said to be absent. */
export const selfHostedEntitlements: Entitlements = {
  ...selfHostedPlan,
  locations: {
    all: dataCenterLocations.map((id) => ({ id, name: locationNames[id], available: true })),
    maxPerCheck: dataCenterLocations.length,
  },
  entitlements: [...entitlements],
}
