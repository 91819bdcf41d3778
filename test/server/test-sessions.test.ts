import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { DefinitionsResponse } from '../../src/contract/agent-protocol.ts'
import type { Run } from '../../src/contract/run.ts'
import { onDemand } from '../support/on-demand.ts'
import { contractFaults, contractIsHere, skippedWithoutContract } from '../support/shared-contract.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let agent: ReturnType<typeof onDemand>
beforeEach(async () => {
  service = await startTestService()
  agent = onDemand(service)
})
afterEach(() => service.close())

const path = '/v1/test-sessions'
const trigger = (body: object = {}) =>
  service.api('POST', `${path}/trigger`, { name: 'release', runLocation: 'eu-west-1', ...body })
const read = async (id: string) => (await service.api('GET', `${path}/${id}`)).json()

async function triggerOne(body: object = {}, check: Record<string, unknown> = {}) {
  const checkId = await agent.createCheck(check)
  const answer = await trigger({ target: { checkId: [checkId] }, ...body })
  expect(answer.statusCode, answer.body).toBe(201)
  return { checkId, sessionId: String(answer.json().testSessionId), session: answer.json() }
}

async function claimOne(): Promise<Run> {
  const [run] = await agent.claim()
  if (!run) throw new Error('nothing to run')
  return run
}

const definitionOf = async (checkId: string, key?: string) => {
  const answer = await service.agent('definitions', { checkIds: [checkId] }, key)
  return answer.json<DefinitionsResponse>().definitions[0]
}

describe('a test', () => {
  test('runs its checks at its own location, and passes when they do', async () => {
    const { checkId, sessionId, session } = await triggerOne(
      { runLocation: 'us-east-1', metadata: { environment: 'staging', branchName: null } },
      { name: 'Shop' },
    )
    expect(session).toMatchObject({
      name: 'release',
      status: 'RUNNING',
      startedAt: '2026-03-01T12:00:00.000Z',
      stoppedAt: null,
      metadata: { environment: 'staging', branchName: null },
      results: [
        {
          checkId,
          checkType: 'API',
          name: 'Shop',
          runLocation: 'us-east-1',
          resultType: 'PENDING',
          status: 'RUNNING',
        },
      ],
    })
    const run = await claimOne()
    expect(run.location).toBe('us-east-1')
    service.clock.advance(3000)
    await agent.report(run, 'degraded')
    expect(await read(sessionId)).toMatchObject({
      status: 'PASSED',
      stoppedAt: '2026-03-01T12:00:03.000Z',
      timeElapsed: 3000,
      results: [{ checkId, status: 'PASSED', isDegraded: true, resultType: 'FINAL' }],
    })
  })

  test('leaves no trace in the results, the status and the error groups of its check', async () => {
    const { checkId, sessionId, session } = await triggerOne()
    const run = await claimOne()
    await agent.report(run, 'failing')
    expect((await read(sessionId)).status).toBe('FAILED')
    expect((await service.api('GET', `/v1/check-results/${checkId}?resultType=ALL`)).json()).toEqual([])
    expect((await service.api('GET', `/v1/check-statuses/${checkId}`)).body).toBe('null')
    expect((await service.api('GET', '/v1/error-groups')).json()).toEqual([])
    const [{ testSessionResultId: resultId }] = session.results
    const result = await service.api('GET', `${path}/${sessionId}/results/${resultId}`)
    expect(result.json()).toMatchObject({ id: resultId, checkId, hasFailures: true, responseTime: 12.5 })
    const [group] = (await service.api('GET', '/v1/test-session-error-groups')).json()
    expect(result.json().errorGroupIds).toEqual([group.id])
    const { errorGroupIds, results } = await read(sessionId)
    expect([errorGroupIds, results[0].errorGroupIds]).toEqual([[group.id], [group.id]])
  })

  test('has error groups of its own, which know its environment', async () => {
    for (const environment of ['staging', 'production']) {
      await triggerOne({ metadata: { environment } })
      await agent.report(await claimOne(), 'failing')
      service.clock.advance(1000)
    }
    const [group, ...others] = (await service.api('GET', '/v1/test-session-error-groups')).json()
    expect(others).toEqual([])
    expect(group).toMatchObject({ environments: ['staging', 'production'], projectId: null })
    expect(group).toMatchObject({
      firstSeen: '2026-03-01T12:00:00.000Z',
      lastSeen: '2026-03-01T12:00:01.000Z',
    })
    const shown = await service.api('GET', `/v1/test-session-error-groups/${group.id}`)
    expect(shown.json()).toEqual(group)
  })

  test('runs a deactivated check only where that is asked for', async () => {
    const checkId = await agent.createCheck({ activated: false })
    expect((await trigger({ target: { checkId } })).statusCode).toBe(404)
    const allowed = await trigger({ target: { checkId, allowDeactivated: true } })
    expect(allowed.statusCode).toBe(201)
    expect((await claimOne()).checkId).not.toBe(checkId)
  })

  test('fails when it could not be made, with the reason, and that is no failure of the target', async () => {
    service.clock.advance(601_000)
    const { session } = await triggerOne()
    expect(session).toMatchObject({
      status: 'FAILED',
      results: [{ hasErrors: true, hasFailures: false, reason: 'location-unavailable' }],
    })
  })

  test('of a check that is deleted meanwhile is called off', async () => {
    const { checkId, sessionId } = await triggerOne()
    await service.api('DELETE', `/v1/checks/${checkId}`)
    expect(await read(sessionId)).toMatchObject({
      status: 'CANCELLED',
      results: [{ checkId, status: 'CANCELLED', aborted: true, reason: 'check-deleted' }],
    })
  })

  test('goes on when the service starts again', async () => {
    const { sessionId } = await triggerOne()
    const again = await startTestService({ database: service.database })
    const [run] = await onDemand(again).claim()
    if (!run) throw new Error('nothing to run')
    await onDemand(again).report(run, 'passing')
    expect(await read(sessionId)).toMatchObject({ status: 'PASSED' })
  })
})

describe('the settings of a test', () => {
  const own = [
    { key: 'A', value: 'of the check', locked: false, secret: false },
    { key: 'B', value: 'of the check', locked: false, secret: true },
  ]

  test('go over those of the check, for the agent and in this test alone', async () => {
    await service.api('POST', '/v1/variables', { key: 'C', value: 'of the account' })
    const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 3 }
    const { checkId } = await triggerOne(
      { environmentVariables: [{ key: 'A', value: 'of the test', secret: true }], retryStrategy },
      { environmentVariables: own, doubleCheck: true },
    )
    const run = await claimOne()
    const tested = await definitionOf(run.checkId)
    expect(tested).toMatchObject({
      checkId: run.checkId,
      version: run.version,
      retryStrategy,
      doubleCheck: false,
    })
    expect(tested?.variables.map(({ key, value }) => [key, value])).toEqual([
      ['A', 'of the test'],
      ['B', 'of the check'],
      ['C', 'of the account'],
    ])
    const asItIs = await definitionOf(checkId)
    expect(asItIs).toMatchObject({ checkId, retryStrategy: null, doubleCheck: true })
    expect(asItIs?.variables[0]).toMatchObject({ key: 'A', value: 'of the check' })
  })

  test.each([
    [{}, { doubleCheck: true, retryStrategy: { type: 'LINEAR' } }],
    [{ retryStrategy: null }, { doubleCheck: false, retryStrategy: null }],
  ])('of %j mean retries of %j', async (settings, retries) => {
    await triggerOne(settings, { doubleCheck: true, retryStrategy: { type: 'LINEAR' } })
    expect(await definitionOf((await claimOne()).checkId)).toMatchObject(retries)
  })

  test('are in no table in clear, and told to nobody but the agent', async () => {
    const { sessionId } = await triggerOne({ environmentVariables: [{ key: 'TOKEN', value: 'hunter2' }] })
    const stored = await service.database.kysely.selectFrom('sessions').selectAll().execute()
    expect(stored).toHaveLength(1)
    expect(JSON.stringify(stored)).not.toContain('hunter2')
    expect(JSON.stringify(await read(sessionId))).not.toContain('hunter2')
    expect((await definitionOf((await claimOne()).checkId))?.variables).toMatchObject([{ value: 'hunter2' }])
  })

  test('are for agents of its location alone', async () => {
    const place = (
      await service.api('POST', '/v1/private-locations', { name: 'p', slugName: 'office' })
    ).json()
    const key = (await service.api('POST', `/v1/private-locations/${place.id}/keys`)).json().rawKey
    await triggerOne()
    const { checkId } = await claimOne()
    expect(await definitionOf(checkId, key)).toBeUndefined()
    expect(await definitionOf(checkId)).toBeDefined()
  })

  test('may name a private location', async () => {
    await service.api('POST', '/v1/private-locations', { name: 'p', slugName: 'office' })
    const { session } = await triggerOne({ runLocation: 'office' })
    expect(session.results).toMatchObject([{ runLocation: 'office' }])
  })

  test.each([
    ['a location of nobody', { runLocation: 'nowhere' }, 'runLocation'],
    ['no name', { name: '' }, 'name'],
    ['a bad strategy', { retryStrategy: { type: 'OFTEN' } }, 'retryStrategy.type'],
    [
      '51 variables',
      { environmentVariables: Array.from({ length: 51 }, (_, n) => ({ key: `K${n}`, value: '' })) },
      'environmentVariables',
    ],
  ])('with %s are refused by their field', async (_what, body, field) => {
    await agent.createCheck()
    const answer = await trigger(body)
    expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [field]])
  })
})

describe('reading tests', () => {
  test('waits for the end of one, or answers 408', async () => {
    const { sessionId } = await triggerOne()
    const early = await service.api('GET', `${path}/${sessionId}/completion?maxWaitSeconds=1`)
    expect([early.statusCode, early.json().error]).toEqual([408, 'Request Timeout'])
    const waiting = service.api('GET', `${path}/${sessionId}/completion`)
    await agent.report(await claimOne(), 'passing')
    expect((await waiting).json()).toMatchObject({ status: 'PASSED', testSessionId: sessionId })
  })

  test('lists them newest first, from cursor to cursor', async () => {
    const checkId = await agent.createCheck()
    for (const name of ['one', 'two', 'three']) {
      await trigger({ name, target: { checkId } })
      service.clock.advance(1000)
    }
    const [first] = await agent.claim({ slots: 1 })
    if (!first) throw new Error('nothing to run')
    await agent.report(first, 'passing')
    const part = (await service.api('GET', `${path}?limit=2`)).json()
    expect(part).toMatchObject({
      length: 2,
      entries: [{ name: 'three' }, { name: 'two', status: 'RUNNING' }],
    })
    const rest = (await service.api('GET', `${path}?limit=2&nextId=${part.nextId}`)).json()
    expect(rest).toMatchObject({
      nextId: null,
      entries: [{ name: 'one', status: 'PASSED', passed: [first.id], running: [], region: 'eu-west-1' }],
    })
    const found = (await service.api('GET', `${path}?textSearch=TW`)).json()
    expect(found.entries).toMatchObject([{ name: 'two' }])
    const late = (await service.api('GET', `${path}?from=2026-03-01T12:00:02Z`)).json()
    expect(late.entries).toMatchObject([{ name: 'three' }])
    const bad = await service.api('GET', `${path}?to=tomorrow`)
    expect([bad.statusCode, bad.json().validation.keys]).toEqual([400, ['to']])
  })

  test('lists those that the filters ask for, and all of them from cursor to cursor', async () => {
    const checkId = await agent.createCheck()
    const facts = [
      { branchName: 'main', commitOwner: 'ada' },
      { branchName: 'topic', commitOwner: 'ada' },
      { branchName: 'main', commitOwner: null },
      {},
    ]
    for (const [index, metadata] of facts.entries()) {
      await trigger({ name: `n${index}`, target: { checkId }, metadata })
      service.clock.advance(1000)
    }
    const [first, second] = await agent.claim()
    if (!first || !second) throw new Error('nothing to run')
    await agent.report(first, 'failing')
    await agent.report(second, 'passing')
    const [group] = (await service.api('GET', '/v1/test-session-error-groups')).json()
    const named = async (query: string) => {
      const names: string[] = []
      for (let nextId: string | null = ''; nextId !== null; ) {
        const answer = await service.api('GET', `${path}?${query}&nextId=${nextId}`)
        expect(answer.statusCode, answer.body).toBe(200)
        names.push(...answer.json().entries.map(({ name }: { name: string }) => name))
        nextId = answer.json().nextId
      }
      return names
    }
    for (const limit of ['limit=1', 'limit=2', 'limit=100']) {
      expect(await named(limit)).toEqual(['n3', 'n2', 'n1', 'n0'])
      expect(await named(`${limit}&branches=main`)).toEqual(['n2', 'n0'])
      expect(await named(`${limit}&branches[]=main&branches[]=topic&users[]=ada`)).toEqual(['n1', 'n0'])
      expect(await named(`${limit}&statuses=FAILED&statuses=PASSED`)).toEqual(['n1', 'n0'])
      expect(await named(`${limit}&statuses[]=RUNNING`)).toEqual(['n3', 'n2'])
      expect(await named(`${limit}&noUsers=true`)).toEqual(['n3', 'n2'])
      expect(await named(`${limit}&errorGroupId=${group.id}`)).toEqual(['n0'])
      expect(await named(`${limit}&providers=GITHUB`)).toEqual([])
      expect(await named(`${limit}&providers=API&textSearch=n1`)).toEqual(['n1'])
    }
    expect((await service.api('GET', `${path}?statuses=ENDED`)).statusCode).toBe(400)
  })

  test('is for nobody else', async () => {
    const { sessionId, session } = await triggerOne()
    const headers = { authorization: `Bearer ${(await service.addAccount()).apiKey}` }
    const [{ testSessionResultId }] = session.results
    for (const end of ['', '/completion', `/results/${testSessionResultId}`]) {
      const url = `${path}/${sessionId}${end}`
      expect((await service.app.inject({ method: 'GET', url, headers })).statusCode).toBe(404)
    }
    expect((await service.app.inject({ method: 'GET', url: path, headers })).json().entries).toEqual([])
  })

  test('finds no result of a run that is not over, or is of no such test', async () => {
    const { sessionId, session } = await triggerOne()
    for (const id of [session.results[0].testSessionResultId, 'none'])
      expect((await service.api('GET', `${path}/${sessionId}/results/${id}`)).statusCode).toBe(404)
  })
})

test.skipIf(!contractIsHere)(
  `answers are of the shape that existing clients know${skippedWithoutContract}`,
  async () => {
    const { sessionId, session } = await triggerOne({ metadata: { environment: 'e', commitId: null } })
    expect(contractFaults('POST', `${path}/trigger`, 201, session)).toEqual([])
    const nothing = await trigger({ target: { matchTags: [['none']] } })
    expect(contractFaults('POST', `${path}/trigger`, 404, nothing.json())).toEqual([])
    await agent.report(await claimOne(), 'failing')
    const one = await read(sessionId)
    expect(contractFaults('GET', `${path}/{testSessionId}`, 200, one)).toEqual([])
    const complete = await service.api('GET', `${path}/${sessionId}/completion`)
    expect(contractFaults('GET', `${path}/{testSessionId}/completion`, 200, complete.json())).toEqual([])
    const groups = '/v1/test-session-error-groups'
    const listed = await service.api('GET', groups)
    expect(contractFaults('GET', groups, 200, listed.json())).toEqual([])
    const [{ id }] = listed.json()
    const changed = await service.api('PATCH', `${groups}/${id}`, { archivedUntilNextEvent: true })
    expect(contractFaults('PATCH', `${groups}/{id}`, 200, changed.json())).toEqual([])
  },
)
