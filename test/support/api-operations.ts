import { apiCheckBody } from './api-checks.ts'
import { bareChecks } from './check-bodies.ts'
import { clientCertificateBody } from './key-pairs.ts'
import type { Ids } from './one-of-everything.ts'

/** How an operation is used once, rightly. */
export interface Use {
  /** With `:check` for the id of a check, and so on. */
  readonly url: string
  readonly status: number
  readonly body?: (ids: Ids) => object
  /** Where the answer is not what the contract says, and why that is meant. */
  readonly differs?: string
}

const group = { name: 'Group', locations: ['eu-west-1'] }
const variable = { key: 'NEW', value: 'v' }
const window = { name: 'w', startsAt: '2026-05-01', endsAt: '2026-05-02', repeatUnit: 'WEEK' }
const page = (ids: Ids, url: string) => ({
  name: 'Shop',
  url,
  cards: [{ name: 'Shop', services: [{ id: ids['pageService'] }] }],
})
const pageIncident = (ids: Ids) => ({
  name: 'Slow',
  severity: 'MINOR',
  services: [{ id: ids['pageService'], name: 'Checkout', accountId: ids['account'] }],
  incidentUpdates: [{ description: 'We look.', status: 'INVESTIGATING' }],
})
const email = { type: 'EMAIL', config: { address: 'a@b.example' } }
const v2 = 'the contract says nothing of it; the answer is that of version 1'
const unsaid = 'the contract says nothing of its answer'
const analytics = (type: string, metrics = 'availability') => ({
  url: `/v1/analytics/${type}?metrics=${metrics}`,
  status: 200,
})

/** Every operation of the contract, in an order in which each finds what it needs. */
export const operations: Readonly<Record<string, Use>> = {
  'GET /v1/accounts': { url: '/v1/accounts', status: 200 },
  'GET /v1/accounts/me': { url: '/v1/accounts/me', status: 200 },
  'GET /v1/accounts/me/entitlements': { url: '/v1/accounts/me/entitlements', status: 200 },
  'GET /v1/accounts/{accountId}': { url: '/v1/accounts/:account', status: 200 },
  'GET /v1/accounts/{accountId}/entitlements': { url: '/v1/accounts/:account/entitlements', status: 200 },
  'GET /v1/alert-channels': { url: '/v1/alert-channels', status: 200 },
  'POST /v1/alert-channels': { url: '/v1/alert-channels', status: 201, body: () => email },
  'GET /v1/alert-channels/{id}': { url: '/v1/alert-channels/:channel', status: 200 },
  'PUT /v1/alert-channels/{id}': { url: '/v1/alert-channels/:channel', status: 200, body: () => email },
  'PUT /v1/alert-channels/{id}/subscriptions': {
    url: '/v1/alert-channels/:channel/subscriptions',
    status: 200,
    body: (ids) => ({ checkId: ids['check'], activated: true }),
  },
  'GET /v1/alert-notifications': { url: '/v1/alert-notifications', status: 200 },
  'GET /v1/analytics/api-checks/{id}': analytics('api-checks/:checkAPI', 'availability,responseTime_p95'),
  'GET /v1/analytics/browser-checks/{id}': analytics('browser-checks/:checkBROWSER'),
  'POST /v1/analytics/checks': {
    url: '/v1/analytics/checks',
    status: 200,
    body: (ids) => ({ checkIds: [ids['check']] }),
  },
  'GET /v1/analytics/dns/{id}': analytics('dns/:checkDNS'),
  'GET /v1/analytics/heartbeat-checks/{id}': {
    ...analytics('heartbeat-checks/:heartbeat'),
    differs: 'the contract calls the items of series texts; existing clients read objects',
  },
  'GET /v1/analytics/icmp/{id}': analytics('icmp/:checkICMP'),
  'GET /v1/analytics/metrics': { url: '/v1/analytics/metrics?checkType=API', status: 200 },
  'GET /v1/analytics/multistep-checks/{id}': analytics('multistep-checks/:checkMULTI_STEP'),
  'GET /v1/analytics/playwright-checks/{id}': analytics('playwright-checks/:checkPLAYWRIGHT'),
  'GET /v1/analytics/tcp-checks/{id}': analytics('tcp-checks/:checkTCP'),
  'GET /v1/analytics/url-monitors/{id}': analytics('url-monitors/:checkURL'),
  'GET /v1/badges/checks/{checkId}': { url: '/v1/badges/checks/:check', status: 200 },
  'GET /v1/badges/groups/{groupId}': { url: '/v1/badges/groups/:group', status: 200 },
  'GET /v1/check-alerts': { url: '/v1/check-alerts', status: 200 },
  'GET /v1/check-alerts/{checkId}': { url: '/v1/check-alerts/:check', status: 200 },
  'GET /v1/check-groups': { url: '/v1/check-groups', status: 200 },
  'POST /v1/check-groups': { url: '/v1/check-groups', status: 201, body: () => group },
  'GET /v1/check-groups/{groupId}/checks/{checkId}': {
    url: '/v1/check-groups/:group/checks/:check',
    status: 200,
  },
  'GET /v1/check-groups/{id}': { url: '/v1/check-groups/:group', status: 200 },
  'PUT /v1/check-groups/{id}': { url: '/v1/check-groups/:group', status: 200, body: () => group },
  'GET /v1/check-groups/{id}/checks': { url: '/v1/check-groups/:group/checks', status: 200 },
  'GET /v1/check-results/{checkId}': { url: '/v1/check-results/:check', status: 200 },
  'GET /v1/check-results/{checkId}/{checkResultId}': { url: '/v1/check-results/:check/:result', status: 200 },
  'POST /v1/check-sessions/trigger': {
    url: '/v1/check-sessions/trigger',
    status: 201,
    body: (ids) => ({ target: { checkId: [ids['check']] } }),
  },
  'GET /v1/check-sessions/{checkSessionId}': { url: '/v1/check-sessions/:session', status: 200 },
  'GET /v1/check-sessions/{checkSessionId}/completion': {
    url: '/v1/check-sessions/:doneSession/completion?maxWaitSeconds=1',
    status: 200,
  },
  'GET /v1/check-statuses': { url: '/v1/check-statuses', status: 200 },
  'GET /v1/check-statuses/{checkId}': { url: '/v1/check-statuses/:check', status: 200 },
  'GET /v1/checks': { url: '/v1/checks', status: 200 },
  'POST /v1/checks': {
    url: '/v1/checks',
    status: 201,
    body: () => ({ ...bareChecks.URL, checkType: 'URL' }),
  },
  'POST /v1/checks/api': { url: '/v1/checks/api', status: 201, body: () => apiCheckBody() },
  'PUT /v1/checks/api/{id}': {
    url: '/v1/checks/api/:check',
    status: 200,
    body: (ids) => apiCheckBody({ groupId: Number(ids['group']) }),
  },
  'POST /v1/checks/browser': { url: '/v1/checks/browser', status: 201, body: () => bareChecks.BROWSER },
  'PUT /v1/checks/browser/{id}': {
    url: '/v1/checks/browser/:checkBROWSER',
    status: 200,
    body: () => bareChecks.BROWSER,
  },
  'POST /v1/checks/dns': { url: '/v1/checks/dns', status: 201, body: () => bareChecks.DNS },
  'PUT /v1/checks/dns/{id}': { url: '/v1/checks/dns/:checkDNS', status: 200, body: () => bareChecks.DNS },
  'POST /v1/checks/heartbeat': { url: '/v1/checks/heartbeat', status: 201, body: () => bareChecks.HEARTBEAT },
  'PUT /v1/checks/heartbeat/{id}': {
    url: '/v1/checks/heartbeat/:heartbeat',
    status: 200,
    body: () => ({ ...bareChecks.HEARTBEAT, script: '' }),
  },
  'GET /v1/checks/heartbeats/{checkId}/availability': {
    url: '/v1/checks/heartbeats/:heartbeat/availability',
    status: 200,
  },
  'GET /v1/checks/heartbeats/{checkId}/events': {
    url: '/v1/checks/heartbeats/:heartbeat/events',
    status: 200,
  },
  'GET /v1/checks/heartbeats/{checkId}/events/{id}': {
    url: '/v1/checks/heartbeats/:heartbeat/events/:event',
    status: 200,
  },
  'POST /v1/checks/icmp': { url: '/v1/checks/icmp', status: 201, body: () => bareChecks.ICMP },
  'PUT /v1/checks/icmp/{id}': { url: '/v1/checks/icmp/:checkICMP', status: 200, body: () => bareChecks.ICMP },
  'POST /v1/checks/multistep': {
    url: '/v1/checks/multistep',
    status: 201,
    body: () => bareChecks.MULTI_STEP,
  },
  'PUT /v1/checks/multistep/{id}': {
    url: '/v1/checks/multistep/:checkMULTI_STEP',
    status: 200,
    body: () => bareChecks.MULTI_STEP,
  },
  'POST /v1/checks/tcp': { url: '/v1/checks/tcp', status: 201, body: () => bareChecks.TCP },
  'PUT /v1/checks/tcp/{id}': { url: '/v1/checks/tcp/:checkTCP', status: 200, body: () => bareChecks.TCP },
  'POST /v1/checks/url': { url: '/v1/checks/url', status: 201, body: () => bareChecks.URL },
  'PUT /v1/checks/url/{id}': { url: '/v1/checks/url/:checkURL', status: 200, body: () => bareChecks.URL },
  'GET /v1/checks/{id}': { url: '/v1/checks/:check', status: 200 },
  'PUT /v1/checks/{id}': { url: '/v1/checks/:checkURL', status: 200, body: () => bareChecks.URL },
  'GET /v1/client-certificates': { url: '/v1/client-certificates', status: 200 },
  'POST /v1/client-certificates': {
    url: '/v1/client-certificates',
    status: 201,
    body: () => clientCertificateBody(),
  },
  'GET /v1/client-certificates/{id}': { url: '/v1/client-certificates/:certificate', status: 200 },
  'GET /v1/dashboards': { url: '/v1/dashboards', status: 200 },
  'POST /v1/dashboards': {
    url: '/v1/dashboards',
    status: 201,
    body: () => ({ customUrl: 'another-board', header: 'Board' }),
  },
  'GET /v1/dashboards/{dashboardId}': { url: '/v1/dashboards/:dashboard', status: 200 },
  'PUT /v1/dashboards/{dashboardId}': {
    url: '/v1/dashboards/:dashboard',
    status: 200,
    body: () => ({ customUrl: 'board-1', header: 'Other' }),
  },
  'GET /v1/error-groups': { url: '/v1/error-groups', status: 200 },
  'GET /v1/error-groups/checks/{checkId}': { url: '/v1/error-groups/checks/:check', status: 200 },
  'GET /v1/error-groups/{id}': { url: '/v1/error-groups/:errorGroup', status: 200 },
  'PATCH /v1/error-groups/{id}': {
    url: '/v1/error-groups/:errorGroup',
    status: 200,
    body: () => ({ archivedUntilNextEvent: true }),
  },
  'POST /v1/incidents': {
    url: '/v1/incidents',
    status: 200,
    body: (ids) => ({
      name: 'Outage',
      impact: 'MAJOR',
      dashboardId: Number(ids['dashboardNumber']),
      incidentUpdates: [{ status: 'INVESTIGATING', description: 'We look.' }],
    }),
  },
  'GET /v1/incidents/{id}': { url: '/v1/incidents/:incident', status: 200 },
  'PUT /v1/incidents/{id}': {
    url: '/v1/incidents/:incident',
    status: 200,
    body: () => ({ name: 'Outage', impact: 'MINOR' }),
  },
  'POST /v1/incidents/{incidentId}/updates': {
    url: '/v1/incidents/:incident/updates',
    status: 200,
    body: () => ({ status: 'MONITORING', description: 'Better.' }),
  },
  'PUT /v1/incidents/{incidentId}/updates/{id}': {
    url: '/v1/incidents/:incident/updates/:update',
    status: 200,
    body: () => ({ status: 'RESOLVED', description: 'Over.' }),
  },
  'GET /v1/locations': { url: '/v1/locations', status: 200 },
  'GET /v1/maintenance-windows': { url: '/v1/maintenance-windows', status: 200 },
  'POST /v1/maintenance-windows': { url: '/v1/maintenance-windows', status: 201, body: () => window },
  'GET /v1/maintenance-windows/{id}': { url: '/v1/maintenance-windows/:window', status: 200 },
  'PUT /v1/maintenance-windows/{id}': {
    url: '/v1/maintenance-windows/:window',
    status: 200,
    body: () => window,
  },
  'GET /v1/private-locations': { url: '/v1/private-locations', status: 200 },
  'POST /v1/private-locations': {
    url: '/v1/private-locations',
    status: 201,
    body: () => ({ name: 'Depot', slugName: 'depot' }),
  },
  'GET /v1/private-locations/{id}': { url: '/v1/private-locations/:place', status: 200 },
  'PUT /v1/private-locations/{id}': {
    url: '/v1/private-locations/:place',
    status: 200,
    body: () => ({ name: 'Office' }),
  },
  'POST /v1/private-locations/{id}/keys': { url: '/v1/private-locations/:place/keys', status: 201 },
  'GET /v1/private-locations/{id}/metrics': {
    url: '/v1/private-locations/:place/metrics?from=:from&to=:to',
    status: 200,
  },
  'GET /v1/reporting': { url: '/v1/reporting', status: 200 },
  'POST /v1/root-cause-analyses/error-groups/{errorGroupId}': {
    url: '/v1/root-cause-analyses/error-groups/:errorGroup',
    status: 402,
  },
  'POST /v1/root-cause-analyses/test-session-error-groups/{testSessionErrorGroupId}': {
    url: '/v1/root-cause-analyses/test-session-error-groups/:none',
    status: 402,
  },
  'GET /v1/root-cause-analyses/{id}': { url: '/v1/root-cause-analyses/:none', status: 404 },
  'GET /v1/runtimes': { url: '/v1/runtimes', status: 200 },
  'GET /v1/runtimes/{id}': { url: '/v1/runtimes/2026.04', status: 200 },
  'GET /v1/snippets': { url: '/v1/snippets', status: 200 },
  'POST /v1/snippets': { url: '/v1/snippets', status: 201, body: () => ({ name: 's', script: '' }) },
  'GET /v1/snippets/{id}': { url: '/v1/snippets/:snippet', status: 200 },
  'PUT /v1/snippets/{id}': {
    url: '/v1/snippets/:snippet',
    status: 200,
    body: () => ({ name: 's', script: '' }),
  },
  'GET /v1/static-ips': { url: '/v1/static-ips', status: 200, differs: unsaid },
  'GET /v1/static-ips-by-region': { url: '/v1/static-ips-by-region', status: 200, differs: unsaid },
  'GET /v1/static-ips.txt': { url: '/v1/static-ips.txt', status: 200, differs: unsaid },
  'GET /v1/static-ipv6s': { url: '/v1/static-ipv6s', status: 200, differs: unsaid },
  'GET /v1/static-ipv6s-by-region': { url: '/v1/static-ipv6s-by-region', status: 200, differs: unsaid },
  'GET /v1/static-ipv6s.txt': { url: '/v1/static-ipv6s.txt', status: 200, differs: unsaid },
  'GET /v1/status-pages': { url: '/v1/status-pages', status: 200 },
  'POST /v1/status-pages': {
    url: '/v1/status-pages',
    status: 201,
    body: (ids) => page(ids, 'another-shop'),
  },
  'GET /v1/status-pages/incidents': { url: '/v1/status-pages/incidents', status: 200 },
  'POST /v1/status-pages/incidents': { url: '/v1/status-pages/incidents', status: 201, body: pageIncident },
  'GET /v1/status-pages/incidents/{incidentId}': {
    url: '/v1/status-pages/incidents/:pageIncident',
    status: 200,
  },
  'PUT /v1/status-pages/incidents/{incidentId}': {
    url: '/v1/status-pages/incidents/:pageIncident',
    status: 200,
    body: pageIncident,
  },
  'GET /v1/status-pages/incidents/{incidentId}/incident-updates': {
    url: '/v1/status-pages/incidents/:pageIncident/incident-updates',
    status: 200,
  },
  'POST /v1/status-pages/incidents/{incidentId}/incident-updates': {
    url: '/v1/status-pages/incidents/:pageIncident/incident-updates',
    status: 200,
    body: () => ({ description: 'Better.', status: 'MONITORING' }),
  },
  'GET /v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}': {
    url: '/v1/status-pages/incidents/:pageIncident/incident-updates/:pageUpdate',
    status: 200,
  },
  'PUT /v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}': {
    url: '/v1/status-pages/incidents/:pageIncident/incident-updates/:pageUpdate',
    status: 200,
    body: () => ({ description: 'Found it.', status: 'IDENTIFIED' }),
  },
  'GET /v1/status-pages/services': { url: '/v1/status-pages/services', status: 200 },
  'POST /v1/status-pages/services': {
    url: '/v1/status-pages/services',
    status: 201,
    differs: 'semantics §2: 201, where the contract has 200',
    body: () => ({ name: 'Search' }),
  },
  'GET /v1/status-pages/services/{serviceId}': {
    url: '/v1/status-pages/services/:pageService',
    status: 200,
  },
  'PUT /v1/status-pages/services/{serviceId}': {
    url: '/v1/status-pages/services/:pageService',
    status: 200,
    body: () => ({ name: 'Checkout' }),
  },
  'GET /v1/status-pages/{statusPageId}': { url: '/v1/status-pages/:page', status: 200 },
  'PUT /v1/status-pages/{statusPageId}': {
    url: '/v1/status-pages/:page',
    status: 200,
    body: (ids) => page(ids, 'shop-1'),
  },
  'GET /v1/status-pages/{statusPageId}/subscriptions': {
    url: '/v1/status-pages/:page/subscriptions',
    status: 200,
  },
  'POST /v1/status-pages/{statusPageId}/subscriptions/bulk': {
    url: '/v1/status-pages/:page/subscriptions/bulk',
    status: 201,
    body: () => ({ subscriptions: [{ type: 'EMAIL', config: 'another@shop.example' }] }),
  },
  'GET /v1/test-session-error-groups': { url: '/v1/test-session-error-groups', status: 200 },
  'GET /v1/test-session-error-groups/projects/{projectId}': {
    url: '/v1/test-session-error-groups/projects/:none',
    status: 200,
  },
  'GET /v1/test-session-error-groups/{id}': { url: '/v1/test-session-error-groups/:none', status: 404 },
  'PATCH /v1/test-session-error-groups/{id}': {
    url: '/v1/test-session-error-groups/:none',
    status: 404,
    body: () => ({ archivedUntilNextEvent: true }),
  },
  'POST /v1/test-sessions/trigger': {
    url: '/v1/test-sessions/trigger',
    status: 201,
    body: (ids) => ({
      name: 'Release',
      runLocation: 'eu-west-1',
      target: { checkId: [ids['check']] },
    }),
  },
  'GET /v1/test-sessions/{testSessionId}': { url: '/v1/test-sessions/:testSession', status: 200 },
  'GET /v1/test-sessions/{testSessionId}/completion': {
    url: '/v1/test-sessions/:doneTestSession/completion?maxWaitSeconds=1',
    status: 200,
  },
  'GET /v1/triggers/check-groups/{groupId}': { url: '/v1/triggers/check-groups/:group', status: 200 },
  'POST /v1/triggers/check-groups/{groupId}': { url: '/v1/triggers/check-groups/:emptyGroup', status: 201 },
  'GET /v1/triggers/checks/{checkId}': { url: '/v1/triggers/checks/:check', status: 200 },
  'POST /v1/triggers/checks/{checkId}': { url: '/v1/triggers/checks/:checkAPI', status: 201 },
  'GET /v1/variables': { url: '/v1/variables', status: 200 },
  'POST /v1/variables': { url: '/v1/variables', status: 201, body: () => variable },
  'GET /v1/variables/{key}': { url: '/v1/variables/:variable', status: 200 },
  'PUT /v1/variables/{key}': { url: '/v1/variables/:variable', status: 200, body: () => ({ value: 'w' }) },
  'POST /v2/check-groups': { url: '/v2/check-groups', status: 201, body: () => group },
  'PUT /v2/check-groups/{id}': { url: '/v2/check-groups/:group', status: 200, body: () => group },
  'GET /v2/check-results/{checkId}': { url: '/v2/check-results/:check', status: 200 },
  'POST /v2/check-sessions/trigger': {
    url: '/v2/check-sessions/trigger',
    status: 201,
    differs: v2,
    body: (ids) => ({ target: { checkId: [ids['check']] } }),
  },
  'GET /v2/check-sessions/{checkSessionId}': {
    url: '/v2/check-sessions/:session',
    status: 200,
    differs: v2,
  },
  'GET /v2/check-sessions/{checkSessionId}/completion': {
    url: '/v2/check-sessions/:doneSession/completion?maxWaitSeconds=1',
    status: 200,
    differs: v2,
  },
  'POST /v1/cancel': {
    url: '/v1/cancel',
    status: 200,
    differs: unsaid,
    body: (ids) => ({ checkSessionId: ids['session'] }),
  },
  'DELETE /v1/triggers/check-groups/{groupId}': { url: '/v1/triggers/check-groups/:group', status: 204 },
  'DELETE /v1/triggers/checks/{checkId}': { url: '/v1/triggers/checks/:check', status: 204 },
  'DELETE /v1/alert-channels/{id}': { url: '/v1/alert-channels/:channel', status: 204 },
  'DELETE /v1/check-groups/{id}': { url: '/v1/check-groups/:emptyGroup', status: 204 },
  'DELETE /v1/checks/{id}': { url: '/v1/checks/:spareCheck', status: 204 },
  'DELETE /v1/client-certificates/{id}': { url: '/v1/client-certificates/:certificate', status: 204 },
  'DELETE /v1/incidents/{incidentId}/updates/{id}': {
    url: '/v1/incidents/:incident/updates/:update',
    status: 204,
  },
  'DELETE /v1/incidents/{id}': { url: '/v1/incidents/:incident', status: 204 },
  'DELETE /v1/dashboards/{dashboardId}': { url: '/v1/dashboards/:dashboard', status: 204 },
  'DELETE /v1/maintenance-windows/{id}': { url: '/v1/maintenance-windows/:window', status: 204 },
  'DELETE /v1/private-locations/{id}/keys/{keyId}': {
    url: '/v1/private-locations/:place/keys/:key',
    status: 204,
  },
  'DELETE /v1/private-locations/{id}': { url: '/v1/private-locations/:place', status: 204 },
  'DELETE /v1/snippets/{id}': { url: '/v1/snippets/:snippet', status: 204 },
  'DELETE /v1/status-pages/{statusPageId}/subscriptions/{subscriptionId}': {
    url: '/v1/status-pages/:page/subscriptions/:subscription',
    status: 204,
  },
  'DELETE /v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}': {
    url: '/v1/status-pages/incidents/:pageIncident/incident-updates/:pageUpdate',
    status: 204,
  },
  'DELETE /v1/status-pages/incidents/{incidentId}': {
    url: '/v1/status-pages/incidents/:pageIncident',
    status: 204,
  },
  'DELETE /v1/status-pages/services/{serviceId}': {
    url: '/v1/status-pages/services/:freeService',
    status: 204,
  },
  'DELETE /v1/status-pages/{statusPageId}': { url: '/v1/status-pages/:page', status: 204 },
  'DELETE /v1/variables/{key}': { url: '/v1/variables/:variable', status: 204 },
}

/** The URL of a use, its ids filled in. */
export const urlOf = ({ url }: Use, ids: Ids): string =>
  url.replace(/:([a-z]\w*)/gi, (_all, name: string) => ids[name] ?? `there-is-no-${name}`)
