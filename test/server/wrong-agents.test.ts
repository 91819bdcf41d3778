import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClaimResponse } from '../../src/contract/agent-protocol.ts'
import type { Result } from '../../src/contract/result.ts'
import type { Run } from '../../src/contract/run.ts'
import { hashId } from '../../src/lib/ids.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId, resultOf } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { embeddedKey, startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

async function claimOne(overrides: Record<string, unknown> = {}): Promise<Run> {
  await service.api('POST', '/v1/checks/api', apiCheckBody(overrides))
  service.clock.advance(10_000)
  const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
  const locations = new LocationWatch({ db: service.database.kysely, logger, startedAt: service.clock.now() })
  await schedulerTurn({ ...service, locations })
  const message = { agentId, capabilities: agentCapabilities, slots: 1, waitMs: 0 }
  const [run] = (await service.agent('claims', message)).json<ClaimResponse>().runs
  if (!run) throw new Error('nothing was to be had')
  return run
}

const report = async (...results: unknown[]) => (await service.agent('results', { agentId, results })).json()

async function keyOfOffice(): Promise<string> {
  const place = (await service.api('POST', '/v1/private-locations', { name: 'p', slugName: 'office' })).json()
  return (await service.api('POST', `/v1/private-locations/${place.id}/keys`)).json().rawKey
}

describe('a number that storage cannot hold, or that would keep a run open for ever, is refused as poison', () => {
  const attempt = 2_147_483_648
  test.each<[string, (run: Run, now: number) => Partial<Result>]>([
    ['"attempt"', (run) => ({ attempt, id: hashId(run.id, attempt) })],
    ['"retryAt"', () => ({ resultType: 'ATTEMPT', retryAt: 1e300 })],
    ['"retryAt"', (_run, now) => ({ resultType: 'ATTEMPT', retryAt: now + 24 * 60 * 60_000 })],
  ])('%s %#', async (field, changes) => {
    const run = await claimOne()
    const now = service.clock.now()
    const poison = resultOf(run, now, 'failing', changes(run, now))
    const answer = await report(poison, resultOf(run, now, 'passing'))
    expect(answer).toMatchObject({ accepted: 1, refused: [{ index: 0 }] })
    expect(answer.refused[0].reason).toContain(field)
    expect((await service.api('GET', `/v1/check-results/${run.checkId}`)).json()).toHaveLength(1)
  })
})

test('a key of one location neither renews nor gives back the runs of another, whatever agent it names', async () => {
  const key = await keyOfOffice()
  const run = await claimOne()
  const message = { agentId, runIds: [run.id] }
  expect((await service.agent('leases', message, key)).json().lost).toEqual([run.id])
  expect((await service.agent('releases', message, key)).json()).toEqual({ released: 0 })
  expect((await service.agent('leases', message, embeddedKey)).json().lost).toEqual([])
})

test('query parameters of a checked URL are shown under their names, whatever these are', async () => {
  const run = await claimOne()
  const result = resultOf(run, service.clock.now(), 'passing')
  const url = 'http://a.example/?constructor=1&__proto__=2&toString=3&toString=4'
  if (result.conclusion.kind !== 'judged' || result.conclusion.outcome.kind !== 'observed') return
  const { observation } = result.conclusion.outcome
  observation.request = { ...observation.request, url }
  await report(result)
  const answer = await service.api('GET', `/v1/check-results/${run.checkId}/${result.id}`)
  expect(answer.statusCode, answer.body).toBe(200)
  expect(Object.entries(answer.json().apiCheckResult.request.params)).toEqual([
    ['constructor', '1'],
    ['__proto__', '2'],
    ['toString', ['3', '4']],
  ])
})

test('agents of a private location are listed with when they were last seen, as clients know it', async () => {
  const key = await keyOfOffice()
  const capabilities = agentCapabilities
  await service.agent('claims', { agentId, capabilities, slots: 1, waitMs: 0 }, key)
  const [place] = (await service.api('GET', '/v1/private-locations')).json()
  expect(place.runningAgents).toEqual([
    { version: '1.0.0', count: 1, agents: [{ id: agentId, lastSeenAt: '2026-03-01T12:00:00.000Z' }] },
  ])
})
