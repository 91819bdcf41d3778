import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resultIdOf } from '../../src/contract/run-ids.ts'
import { otherAgentId } from '../support/agent-messages.ts'
import { apiCheckBody } from '../support/api-checks.ts'
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

const path = '/v1/check-sessions'
const trigger = (body: object = {}) => service.api('POST', `${path}/trigger`, body)
const read = async (id: string) => (await service.api('GET', `${path}/${id}`)).json()

async function triggerOne(check: Record<string, unknown> = {}) {
  const checkId = await agent.createCheck(check)
  const answer = await trigger({ target: { checkId: [checkId] } })
  expect(answer.statusCode, answer.body).toBe(201)
  const [session] = answer.json().sessions
  return { checkId, sessionId: String(session.checkSessionId), session }
}

const ledger = () => service.database.kysely.selectFrom('checkRuns').selectAll().orderBy('id').execute()

describe('a check that somebody asks for', () => {
  test('runs at once, outside its schedule, and its session ends as its run does', async () => {
    const { checkId, sessionId, session } = await triggerOne({ name: 'Shop' })
    expect(session).toMatchObject({
      checkId,
      checkType: 'API',
      name: 'Shop',
      status: 'STARTED',
      startedAt: '2026-03-01T12:00:00.000Z',
      stoppedAt: null,
      runLocations: ['eu-west-1'],
      runSource: 'TRIGGER_API',
    })
    const [run] = await agent.claim()
    if (!run) throw new Error('nothing to run')
    expect(run).toMatchObject({ checkId, dueAt: service.clock.now(), location: 'eu-west-1' })
    expect(await read(sessionId)).toMatchObject({ status: 'PROGRESS', results: [] })
    service.clock.advance(2000)
    await agent.report(run, 'degraded')
    expect(await read(sessionId)).toMatchObject({
      status: 'DEGRADED',
      stoppedAt: '2026-03-01T12:00:02.000Z',
      timeElapsed: 2000,
      results: [{ checkId, isDegraded: true, hasFailures: false, responseTime: 12.5, resultType: 'FINAL' }],
    })
  })

  test('is a real run of the check: its result is listed and moves its status', async () => {
    const { checkId, sessionId } = await triggerOne()
    const [run] = await agent.claim()
    if (!run) throw new Error('nothing to run')
    await agent.report(run, 'failing')
    const [listed] = (await service.api('GET', `/v1/check-results/${checkId}`)).json()
    const { results } = await read(sessionId)
    expect(results).toMatchObject([{ checkResultId: listed.id, hasFailures: true }])
    const status = await service.api('GET', `/v1/check-statuses/${checkId}`)
    expect(status.json()).toMatchObject({ hasFailures: true })
  })

  test('runs at each location when it runs in parallel, else where its turn is', async () => {
    const locations = ['eu-west-1', 'us-east-1']
    const both = await triggerOne({ locations, runParallel: true })
    expect(both.session.runLocations).toEqual(locations)
    expect((await triggerOne({ locations })).session.runLocations).toHaveLength(1)
    const runs = await agent.claim()
    expect(runs.filter(({ checkId }) => checkId === both.checkId)).toHaveLength(2)
  })

  test('is not stopped by maintenance', async () => {
    const window = { name: 'w', tags: ['t'], startsAt: '2026-03-01', endsAt: '2026-03-02', repeatUnit: 'DAY' }
    await service.api('POST', '/v1/maintenance-windows', window)
    await triggerOne({ tags: ['t'] })
    expect(await agent.claim()).toHaveLength(1)
  })

  test('tells of the attempts that others followed, before their end and after it', async () => {
    const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 1 }
    const { sessionId } = await triggerOne({ retryStrategy })
    const [run] = await agent.claim()
    if (!run) throw new Error('nothing to run')
    await agent.report(run, 'failing', { resultType: 'ATTEMPT', retryAt: service.clock.now() + 5000 })
    const first = { resultType: 'ATTEMPT', hasFailures: true, runLocation: run.location, aborted: false }
    expect(await read(sessionId)).toMatchObject({ status: 'PROGRESS', results: [first] })
    await agent.report(run, 'passing', { attempt: 2, id: resultIdOf(run.id, 2) })
    const { status, results } = await read(sessionId)
    expect([status, results]).toMatchObject(['PASSED', [first, { resultType: 'FINAL', hasFailures: false }]])
    const linked = await service.api('GET', new URL(results[0].checkResultLink, 'http://x').pathname)
    expect(linked.json()).toMatchObject({ id: results[0].checkResultId, resultType: 'ATTEMPT' })
  })

  test('is missed at once where no agent is, with the reason, and that fails nothing', async () => {
    service.clock.advance(601_000)
    const { checkId, sessionId } = await triggerOne()
    expect(await agent.claim()).toEqual([])
    expect(await read(sessionId)).toMatchObject({
      status: 'TIMED_OUT',
      stoppedAt: new Date(service.clock.now()).toISOString(),
      results: [{ resultType: null, hasErrors: true, hasFailures: false, reason: 'location-unavailable' }],
    })
    expect((await service.api('GET', `/v1/check-statuses/${checkId}`)).body).toBe('null')
  })

  test('is given to another agent when the first one dies', async () => {
    await triggerOne()
    const [run] = await agent.claim()
    service.clock.advance(60_001)
    expect(await agent.claim({ agentId: otherAgentId })).toMatchObject([{ id: run?.id }])
  })

  test('is run twice when it is asked for twice', async () => {
    const { checkId } = await triggerOne()
    await trigger({ target: { checkId } })
    expect(await agent.claim()).toHaveLength(2)
  })

  test('goes with its check, and its session too', async () => {
    const { checkId, sessionId } = await triggerOne()
    expect((await service.api('DELETE', `/v1/checks/${checkId}`)).statusCode).toBe(204)
    expect(await ledger()).toEqual([])
    expect((await service.api('GET', `${path}/${sessionId}`)).statusCode).toBe(404)
  })
})

describe('a target', () => {
  const namesOf = async (target: object) => {
    const answer = await trigger({ target })
    if (answer.statusCode === 404) return []
    return answer
      .json()
      .sessions.map(({ name }: { name: string }) => name)
      .toSorted()
  }

  test.each([
    [{ matchTags: [['a', 'b']] }, ['both']],
    [{ matchTags: [['a'], ['b']] }, ['both', 'only a', 'only b']],
    [{ matchTags: ['a', 'c'] }, ['both', 'only a']],
    [{ matchTags: [['c']] }, []],
    [{ matchTags: [] }, ['both', 'none', 'only a', 'only b']],
    [{ matchTags: null, checkId: null }, ['both', 'none', 'only a', 'only b']],
  ])('of %j means %j', async (target, names) => {
    const tags = { both: ['a', 'b'], 'only a': ['a'], 'only b': ['b'], none: [] }
    for (const [name, own] of Object.entries(tags)) await agent.createCheck({ name, tags: own })
    await agent.createCheck({ name: 'deactivated', tags: ['a', 'b'], activated: false })
    expect(await namesOf(target)).toEqual(names)
  })

  test('counts the tags of a group as its checks’ own', async () => {
    const body = { name: 'g', tags: ['of the group'], locations: [] }
    const groupId = (await service.api('POST', '/v2/check-groups', body)).json().id
    await agent.createCheck({ name: 'in it', groupId })
    await agent.createCheck({ name: 'outside' })
    expect(await namesOf({ matchTags: [['of the group']] })).toEqual(['in it'])
  })

  test('that names ids and tags asks for both', async () => {
    const first = await agent.createCheck({ name: 'first', tags: ['a'] })
    const second = await agent.createCheck({ name: 'second' })
    expect(await namesOf({ checkId: [first, second], matchTags: [['a']] })).toEqual(['first'])
    expect(await namesOf({ checkId: first })).toEqual(['first'])
  })

  test('that means no check is answered 404', async () => {
    const { apiKey } = await service.addAccount()
    const checkId = await agent.createCheck()
    const headers = { authorization: `Bearer ${apiKey}` }
    const payload = { target: { checkId: [checkId] } }
    const foreign = await service.app.inject({ method: 'POST', url: `${path}/trigger`, headers, payload })
    expect(foreign.json()).toMatchObject({ statusCode: 404, error: 'Not Found' })
    expect(await ledger()).toEqual([])
  })

  test.each([
    ['an id that is no text', { checkId: 7 }, 'target.checkId'],
    ['tags that are no list', { matchTags: 'a' }, 'target.matchTags'],
    ['101 lists', { matchTags: Array.from({ length: 101 }, () => ['a']) }, 'target.matchTags'],
    ['a tag that is a list of lists', { matchTags: [[['a']]] }, 'target.matchTags[0][0]'],
  ])('with %s is refused by its field', async (_what, target, field) => {
    const answer = await trigger({ target })
    expect([answer.statusCode, answer.json().validation?.keys]).toEqual([400, [field]])
  })
})

describe('waiting for the end of a session', () => {
  const completion = (id: string, seconds = 30) =>
    service.api('GET', `${path}/${id}/completion?maxWaitSeconds=${seconds}`)

  test('is answered as soon as the last run has ended', async () => {
    const { sessionId } = await triggerOne({ locations: ['eu-west-1', 'us-east-1'], runParallel: true })
    const waiting = completion(sessionId)
    for (const run of await agent.claim()) await agent.report(run, 'passing')
    const answer = await waiting
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({ status: 'PASSED', results: [{}, {}] })
  })

  test('ends with 408 when the time is up: the client asks again', async () => {
    const { sessionId } = await triggerOne()
    const answer = await completion(sessionId, 1)
    expect([answer.statusCode, answer.json().error]).toEqual([408, 'Request Timeout'])
  })

  test('ends when the service stops', async () => {
    const { sessionId } = await triggerOne()
    await service.app.listen({ host: '127.0.0.1', port: 0 })
    const url = `${service.app.listeningOrigin}${path}/${sessionId}/completion`
    const waiting = fetch(url, { headers: { authorization: `Bearer ${service.apiKey}` } })
    await once(service.app.server, 'request')
    await service.app.close()
    expect((await waiting).status).toBe(408)
  })

  test('is refused for longer than 30 seconds', async () => {
    const { sessionId } = await triggerOne()
    expect((await completion(sessionId, 31)).json().validation.keys).toEqual(['maxWaitSeconds'])
  })
})

test('another account’s session is not there', async () => {
  const { sessionId } = await triggerOne()
  const { apiKey } = await service.addAccount()
  const headers = { authorization: `Bearer ${apiKey}` }
  for (const end of ['', '/completion']) {
    const url = `${path}/${sessionId}${end}`
    expect((await service.app.inject({ method: 'GET', url, headers })).statusCode).toBe(404)
  }
})

test('a service that starts again goes on with the session', async () => {
  const { sessionId } = await triggerOne()
  const again = await startTestService({ database: service.database })
  const [run] = await onDemand(again).claim()
  if (!run) throw new Error('nothing to run')
  await onDemand(again).report(run, 'passing')
  const session = await again.api('GET', `${path}/${sessionId}`)
  expect(session.json()).toMatchObject({ status: 'PASSED' })
})

test('the second version of the API speaks alike', async () => {
  await service.api('POST', '/v1/checks/api', apiCheckBody())
  const answer = await service.api('POST', '/v2/check-sessions/trigger', {})
  const [{ checkSessionId: id }] = answer.json().sessions
  for (const run of await agent.claim()) await agent.report(run, 'passing')
  const [one, end] = await Promise.all(
    ['', '/completion'].map((tail) => service.api('GET', `/v2/check-sessions/${id}${tail}`)),
  )
  expect(one?.json()).toEqual(await read(id))
  expect(end?.json()).toEqual(one?.json())
})

test.skipIf(!contractIsHere)(
  `answers are of the shape that existing clients know${skippedWithoutContract}`,
  async () => {
    const checkId = await agent.createCheck()
    const triggered = await trigger({ target: { checkId: [checkId] } })
    expect(contractFaults('POST', `${path}/trigger`, 201, triggered.json())).toEqual([])
    const nothing = await trigger({ target: { matchTags: [['none']] } })
    expect(contractFaults('POST', `${path}/trigger`, 404, nothing.json())).toEqual([])
    const [{ checkSessionId: id }] = triggered.json().sessions
    const late = await service.api('GET', `${path}/${id}/completion?maxWaitSeconds=1`)
    expect(contractFaults('GET', `${path}/{checkSessionId}/completion`, 408, late.json())).toEqual([])
    for (const run of await agent.claim()) await agent.report(run, 'passing')
    expect(contractFaults('GET', `${path}/{checkSessionId}`, 200, await read(id))).toEqual([])
    const complete = await service.api('GET', `${path}/${id}/completion`)
    expect(contractFaults('GET', `${path}/{checkSessionId}/completion`, 200, complete.json())).toEqual([])
  },
)
