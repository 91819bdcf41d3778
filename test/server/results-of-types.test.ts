import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ClaimResponse, DefinitionsResponse } from '../../src/contract/agent-protocol.ts'
import { type CheckType, runnableTypes } from '../../src/contract/check-types.ts'
import type { Outcome } from '../../src/contract/outcome.ts'
import type { DefinitionOf, Run } from '../../src/contract/run.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { judge } from '../../src/rules/judge.ts'
import { toReport } from '../../src/runner/report.ts'
import { createRunCheck } from '../../src/runner/run-check.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId, resultOf } from '../support/agent-messages.ts'
import { pathOfType } from '../support/check-bodies.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService({ publicOrigin: 'https://picket.example' })
})
afterEach(() => service.close())

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
const heartbeat = { period: 1, periodUnit: 'minutes', grace: 1, graceUnit: 'minutes' }
const host = '127.0.0.1'

/** Of what nobody listens on: how it fails is told, too. */
const requests: { readonly [T in CheckType]: object } = {
  API: { url: `http://${host}:1/` },
  DNS: { query: 'target.test', recordType: 'A', nameServer: host, port: 1 },
  HEARTBEAT: { url: `http://${host}:1/` },
  ICMP: { hostname: host, pingCount: 1 },
  TCP: { hostname: host, port: 1 },
  URL: { url: `http://${host}:1/` },
}

async function create(type: CheckType): Promise<string> {
  const body = {
    name: 'n',
    locations: ['eu-central-1'],
    frequency: 1,
    retryStrategy: null,
    doubleCheck: false,
    request: requests[type],
    ...(type === 'HEARTBEAT' && { heartbeat }),
  }
  const answer = await service.api('POST', `/v1/checks/${pathOfType[type] ?? 'api'}`, body)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json().id
}

/** Claims the run of the only check there is, as an agent that can do so much. */
async function claim(checkTypes: readonly CheckType[]): Promise<Run | undefined> {
  service.clock.advance(61_000)
  const locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
  await schedulerTurn({ ...service, locations })
  const capabilities = { ...agentCapabilities, checkTypes }
  const answer = await service.agent('claims', { agentId, capabilities, slots: 10, waitMs: 0 })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<ClaimResponse>().runs[0]
}

async function definitionOf(checkId: string): Promise<DefinitionOf> {
  const answer = await service.agent('definitions', { checkIds: [checkId] })
  const [definition] = answer.json<DefinitionsResponse>().definitions
  if (!definition) throw new Error('no definition')
  return definition
}

const runCheck = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1' })

/** As an agent does it: the check is run for real and judged. */
async function reportRun(run: Run) {
  const definition = await definitionOf(run.checkId)
  const outcome: Outcome = await runCheck(definition, new AbortController().signal)
  const report = toReport(definition, outcome, judge(definition, outcome))
  const at = service.clock.now()
  const result = resultOf(run, at, 'failing', { conclusion: { kind: 'judged', ...report } })
  const answer = await service.agent('results', { agentId, results: [result] })
  expect(answer.json()).toEqual({ accepted: 1, refused: [] })
  return report
}

test.each(runnableTypes)(
  'a %s check is planned, told to an agent, run, and its result shown',
  async (type) => {
    const id = await create(type)
    const run = await claim(runnableTypes)
    if (!run) throw new Error('nothing was planned')
    const { outcome, verdict } = await reportRun(run)
    const [shown] = (await service.api('GET', `/v1/check-results/${id}`)).json()
    expect(shown).toMatchObject({
      checkId: id,
      hasFailures: verdict.state === 'failing',
      diagnosis: { kind: outcome.kind, verdict: { state: verdict.state } },
    })
    const { apiCheckResult, diagnosis } = shown
    const isHttp = ['API', 'HEARTBEAT', 'URL'].includes(type)
    expect(apiCheckResult === null).toBe(!isHttp)
    const seen = ['tcp', 'dns', 'icmp'].filter((name) => diagnosis[name] !== null)
    expect(seen).toEqual(isHttp ? [] : [type.toLowerCase()])
  },
)

test.each(runnableTypes)('a run of a %s check goes to no agent that cannot carry it out', async (type) => {
  await create(type)
  expect(await claim(runnableTypes.filter((other) => other !== type))).toBeUndefined()
})

test.each([
  ['passing', ['RECEIVED']],
  ['degraded', ['RECEIVED']],
  ['failing', []],
] as const)('a %s run of a heartbeat pings for it: %j', async (state, expected) => {
  const id = await create('HEARTBEAT')
  const run = await claim(runnableTypes)
  if (!run) throw new Error('nothing was planned')
  const result = resultOf(run, service.clock.now(), state)
  const report = () => service.agent('results', { agentId, results: [result] })
  expect((await report()).json()).toEqual({ accepted: 1, refused: [] })
  await report()
  const events = await service.database.kysely
    .selectFrom('heartbeatEvents')
    .select(['state'])
    .where('checkId', '=', id)
    .execute()
  expect(events.map((event) => event.state)).toEqual(expected)
})

test('a heartbeat without a request is never run', async () => {
  const body = { name: 'n', heartbeat, locations: ['eu-central-1'] }
  expect((await service.api('POST', '/v1/checks/heartbeat', body)).statusCode).toBe(201)
  expect(await claim(runnableTypes)).toBeUndefined()
})
