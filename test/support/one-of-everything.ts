import type { Run } from '../../src/contract/run.ts'
import { newId } from '../../src/lib/ids.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId, passingResult, resultOf } from './agent-messages.ts'
import { apiCheckBody } from './api-checks.ts'
import { bareChecks } from './check-bodies.ts'
import { clientCertificateBody } from './key-pairs.ts'
import type { TestService } from './test-service.ts'

/** Ids and keys of what there is, by what it is. */
export type Ids = Readonly<Record<string, string>>

/** One of each thing that the API knows, made through the API where it can be. `n` keeps the names of several apart. */
export async function oneOfEverything(service: TestService, n = 1): Promise<Ids> {
  const post = async (url: string, body: object = {}) => {
    const answer = await service.api('POST', url, body)
    if (answer.statusCode >= 300) throw new Error(`POST ${url}: ${answer.body}`)
    return answer.json()
  }
  const place = await post('/v1/private-locations', { name: 'Office', slugName: `office-${n}` })
  const key = await post(`/v1/private-locations/${place.id}/keys`)
  const certificate = await post('/v1/client-certificates', clientCertificateBody())
  await post('/v1/variables', { key: `TOKEN_${n}`, value: 'v', secret: true })
  const snippet = await post('/v1/snippets', { name: 's', script: 'console.log(1)' })
  const channel = await post('/v1/alert-channels', { type: 'EMAIL', config: { address: 'a@b.example' } })
  const group = await post('/v2/check-groups', { name: `Group ${n}`, locations: ['eu-west-1'] })
  const emptyGroup = await post('/v2/check-groups', { name: `Empty group ${n}` })
  const check = await post('/v1/checks/api', apiCheckBody({ groupId: group.id, tags: [`one-${n}`] }))
  const spareCheck = await post('/v1/checks/api', apiCheckBody())
  const checks = await checksOfEachType(service)
  const heartbeat = await post('/v1/checks/heartbeat', bareChecks.HEARTBEAT)
  const dashboard = await post('/v1/dashboards', { customUrl: `board-${n}`, header: 'Board' })
  const incident = await post('/v1/incidents', {
    name: 'Outage',
    impact: 'MAJOR',
    dashboardId: dashboard.id,
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'We look.' }],
  })
  const [update] = await post(`/v1/incidents/${incident.id}/updates`, {
    status: 'RESOLVED',
    description: 'Over.',
  })
  const window = await post('/v1/maintenance-windows', {
    name: 'Night',
    startsAt: '2026-05-01',
    endsAt: '2026-05-02',
    repeatUnit: 'DAY',
  })
  const pageService = await post('/v1/status-pages/services', { name: 'Checkout' })
  const freeService = await post('/v1/status-pages/services', { name: 'Nobody shows it' })
  const page = await post('/v1/status-pages', {
    name: 'Shop',
    url: `shop-${n}`,
    cards: [{ name: 'Shop', services: [{ id: pageService.id }] }],
  })
  await post(`/v1/status-pages/${page.id}/subscriptions/bulk`, {
    subscriptions: [{ type: 'EMAIL', config: `reader-${n}@shop.example` }],
  })
  const [subscription] = (await service.api('GET', `/v1/status-pages/${page.id}/subscriptions`)).json()
  const pageIncident = await post('/v1/status-pages/incidents', {
    name: 'Slow',
    severity: 'MINOR',
    services: [pageService],
    incidentUpdates: [{ description: 'We look.', status: 'INVESTIGATING' }],
  })
  const pageUpdate = await post(`/v1/status-pages/incidents/${pageIncident.id}/incident-updates`, {
    description: 'Found.',
    status: 'IDENTIFIED',
  })
  const event = await heartbeatEvent(service, heartbeat.id)
  const result = await failingResult(service, check.id)
  const [errorGroup] = (await service.api('GET', `/v1/error-groups/checks/${check.id}`)).json()
  await post(`/v1/triggers/checks/${check.id}`)
  await post(`/v1/triggers/check-groups/${group.id}`)
  const session = async () => {
    const { sessions } = await post('/v1/check-sessions/trigger', { target: { checkId: [check.id] } })
    return sessions[0].checkSessionId
  }
  const testSession = async () => {
    const runLocation = 'eu-west-1'
    const body = { name: 'Release', runLocation, target: { checkId: [check.id] } }
    return (await post('/v1/test-sessions/trigger', body)).testSessionId
  }
  const doneSession = await session()
  const doneTestSession = await testSession()
  await passAll(service)
  const now = service.clock.now() / 1000
  return {
    ...checks,
    account: service.accountId,
    none: '00000000-0000-4000-8000-000000000000',
    from: String(now - 60),
    to: String(now),
    certificate: certificate.id,
    channel: String(channel.id),
    check: check.id,
    dashboard: dashboard.dashboardId,
    dashboardNumber: String(dashboard.id),
    emptyGroup: String(emptyGroup.id),
    errorGroup: errorGroup.id,
    event,
    freeService: freeService.id,
    group: String(group.id),
    heartbeat: heartbeat.id,
    pingToken: heartbeat.heartbeat.pingToken,
    signal: 'fail',
    incident: incident.id,
    key: key.id,
    page: page.id,
    pageIncident: pageIncident.id,
    pageService: pageService.id,
    pageUpdate: pageUpdate.id,
    place: place.id,
    result,
    doneSession,
    doneTestSession,
    session: await session(),
    snippet: String(snippet.id),
    spareCheck: spareCheck.id,
    subscription: subscription.id,
    testSession: await testSession(),
    update: update.id,
    variable: `TOKEN_${n}`,
    window: String(window.id),
  }
}

/** `checkDNS` and its like. */
async function checksOfEachType(service: TestService): Promise<Ids> {
  const made: Record<string, string> = {}
  for (const [checkType, body] of Object.entries(bareChecks)) {
    const answer = await service.api('POST', '/v1/checks', { ...body, checkType })
    made[`check${checkType}`] = answer.json().id
  }
  return made
}

async function heartbeatEvent(service: TestService, checkId: string): Promise<string> {
  const id = newId()
  await service.database.kysely
    .insertInto('heartbeatEvents')
    .values({
      id,
      accountId: service.accountId,
      checkId,
      state: 'RECEIVED',
      at: service.clock.now(),
      source: null,
      userAgent: 'curl/8',
      pings: 1,
      durationMs: null,
      exitCode: null,
      body: null,
    })
    .execute()
  return id
}

const claim = { agentId, capabilities: agentCapabilities, slots: 100, waitMs: 0 }

/** Carries out every run there is, as an agent that finds all targets well. */
async function passAll(service: TestService): Promise<void> {
  const { runs } = (await service.agent('claims', claim)).json()
  const results = runs.map((run: Run) => passingResult(run, service.clock.now()))
  await service.agent('results', { agentId, results })
}

/** Plans the check's next run, and carries it out as an agent that finds its target broken. */
async function failingResult(service: TestService, checkId: string): Promise<string> {
  service.clock.advance(10_000)
  const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
  const { database, clock } = service
  const locations = new LocationWatch({ db: database.kysely, logger, startedAt: clock.now() })
  await schedulerTurn({ ...service, locations })
  const { runs } = (await service.agent('claims', claim)).json()
  const run = runs.find((candidate: { checkId: string }) => candidate.checkId === checkId)
  const result = resultOf(run, clock.now(), 'failing')
  await service.agent('results', { agentId, results: [result] })
  return result.id
}
