import { expect } from 'vitest'
import type { ClaimResponse, RenewResponse, ResultsResponse } from '../../src/contract/agent-protocol.ts'
import type { Result } from '../../src/contract/result.ts'
import type { CheckDefinition, Run } from '../../src/contract/run.ts'
import type { Verdict } from '../../src/contract/verdict.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, resultOf } from './agent-messages.ts'
import { apiCheckBody } from './api-checks.ts'
import type { TestService } from './test-service.ts'

/** An agent at one location, as it speaks to the service. */
export interface PlacedAgent {
  readonly slugName: string
  readonly id: string
  claim(changes?: object): Promise<Run[]>
  report(...results: readonly Result[]): Promise<ResultsResponse>
  /** The runs that it does not hold. */
  lost(...runs: readonly Run[]): Promise<string[]>
  definitions(...checkIds: readonly string[]): Promise<CheckDefinition[]>
}

interface PrivateLocation {
  readonly id: string
  readonly slugName: string
}

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })

/** An agent of the private location, which is made unless it is there. Another `n` is another agent. */
export async function agentAt(service: TestService, slugName: string, n = 1): Promise<PlacedAgent> {
  const places = (await service.api('GET', '/v1/private-locations')).json<PrivateLocation[]>()
  const known = places.find((place) => place.slugName === slugName)
  const made = await service.api('POST', '/v1/private-locations', { name: slugName, slugName })
  const place = known ?? made.json<PrivateLocation>()
  const { rawKey } = (await service.api('POST', `/v1/private-locations/${place.id}/keys`)).json()
  const id = `${String(n).repeat(8)}-1111-4111-8111-${slugName.padEnd(12, '0').replaceAll(/[^0-9a-f]/g, 'a')}`
  const post = async <T>(path: string, body: object): Promise<T> => {
    const answer = await service.agent(path, body, rawKey)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<T>()
  }
  return {
    slugName,
    id,
    claim: async (changes = {}) => {
      const message = { agentId: id, capabilities: agentCapabilities, slots: 100, waitMs: 0, ...changes }
      return (await post<ClaimResponse>('claims', message)).runs
    },
    report: (...results) => post('results', { agentId: id, results }),
    lost: async (...runs) => {
      const runIds = runs.map((run) => run.id)
      return (await post<RenewResponse>('leases', { agentId: id, runIds })).lost
    },
    definitions: async (...checkIds) =>
      (await post<{ definitions: CheckDefinition[] }>('definitions', { checkIds })).definitions,
  }
}

export const elsewhere = {
  type: 'FIXED',
  baseBackoffSeconds: 0,
  sameRegion: false,
  maxRetries: 5,
  maxDurationSeconds: 600,
} as const

export interface FirstRun {
  readonly checkId: string
  readonly run: Run
  /** Where it is, and where its retry is to be. */
  readonly here: PlacedAgent
  readonly there: PlacedAgent
}

/** The first run of a check of `office` and `depot` that is retried elsewhere, leased to an agent; both are there. */
export async function firstRun(service: TestService, changes: object = {}): Promise<FirstRun> {
  const agents = [await agentAt(service, 'office'), await agentAt(service, 'depot')]
  for (const agent of agents) await agent.claim()
  const body = apiCheckBody({
    frequency: 1,
    frequencyOffset: undefined,
    locations: [],
    privateLocations: ['office', 'depot'],
    retryStrategy: elsewhere,
    ...changes,
  })
  const created = await service.api('POST', '/v1/checks/api', body)
  expect(created.statusCode, created.body).toBe(201)
  const checkId: string = created.json().id
  const { kysely } = service.database
  const locations = new LocationWatch({ db: kysely, logger, startedAt: service.clock.now() })
  for (;;) {
    await schedulerTurn({ ...service, locations })
    for (const [n, here] of agents.entries()) {
      const [run] = await here.claim()
      const there = agents[1 - n]
      if (run && there) return { checkId, run, here, there }
    }
    service.clock.advance(1000)
  }
}

/** What its agent sends of a run: an attempt that failed, and that goes on elsewhere after so many milliseconds. */
export function givenBack(
  service: TestService,
  run: Run,
  delayMs = 0,
  state: Verdict['state'] = 'failing',
): Result {
  const at = service.clock.now() - 12
  const retryAt = service.clock.now() + delayMs
  return resultOf(run, at, state, { resultType: 'ATTEMPT', retryAt, retryElsewhere: true })
}
