import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { agentId } from '../support/agent-messages.ts'
import { onDemand } from '../support/on-demand.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: TestService
let agent: ReturnType<typeof onDemand>
beforeEach(async () => {
  service = await startTestService()
  agent = onDemand(service)
})
afterEach(() => service.close())

const locations = ['eu-west-1', 'us-east-1']

async function checkSession(): Promise<string> {
  const checkId = await agent.createCheck({ locations, runParallel: true })
  const answer = await service.api('POST', '/v1/check-sessions/trigger', { target: { checkId } })
  return answer.json().sessions[0].checkSessionId
}
async function testSession(): Promise<string> {
  const checkId = await agent.createCheck()
  const body = { name: 't', runLocation: 'eu-west-1', target: { checkId } }
  return (await service.api('POST', '/v1/test-sessions/trigger', body)).json().testSessionId
}
const read = async (kind: 'check' | 'test', id: string) =>
  (await service.api('GET', `/v1/${kind}-sessions/${id}`)).json()

describe('a session that is called off', () => {
  test.each([
    ['check', (id: string) => [`/v1/check-sessions/${id}/cancel`, undefined]],
    ['check', (id: string) => ['/v1/cancel', { checkSessionId: id }]],
    ['test', (id: string) => [`/v1/test-sessions/${id}/cancel`, undefined]],
    ['test', (id: string) => ['/v1/cancel', { testSessionId: id }]],
  ] as const)('as a %s session gives nobody a run any more', async (kind, request) => {
    const id = kind === 'check' ? await checkSession() : await testSession()
    const waiting = service.api('GET', `/v1/${kind}-sessions/${id}/completion`)
    const [url, payload] = request(id)
    const answer = await service.api('POST', String(url), payload)
    expect([answer.statusCode, answer.json()]).toEqual([200, 'OK'])
    expect(await agent.claim()).toEqual([])
    const session = (await waiting).json()
    expect(session).toMatchObject({ status: 'CANCELLED', stoppedAt: expect.any(String) })
    for (const result of session.results)
      expect(result).toMatchObject({
        aborted: true,
        hasErrors: false,
        hasFailures: false,
        reason: 'cancelled',
      })
  })

  test('is let go by the agent that has its runs, and a result that still comes counts for the check alone', async () => {
    const id = await checkSession()
    const [run, other] = await agent.claim()
    if (!run || !other) throw new Error('nothing to run')
    await service.api('POST', `/v1/check-sessions/${id}/cancel`)
    const renewed = await service.agent('leases', { agentId, runIds: [run.id, other.id] })
    expect(renewed.json().lost).toEqual([run.id, other.id])
    await agent.report(run, 'failing')
    expect(await read('check', id)).toMatchObject({ status: 'CANCELLED' })
    const status = await service.api('GET', `/v1/check-statuses/${run.checkId}`)
    expect(status.json()).toMatchObject({ hasFailures: true })
  })

  test('in part goes on with the rest', async () => {
    const id = await checkSession()
    const [run, other] = await agent.claim()
    if (!run || !other) throw new Error('nothing to run')
    await service.api('POST', `/v1/check-sessions/${id}/cancel`, { sequenceId: [run.id, 'none'] })
    expect(await read('check', id)).toMatchObject({ status: 'PROGRESS' })
    await agent.report(other, 'passing')
    expect(await read('check', id)).toMatchObject({ status: 'CANCELLED', results: [{}, {}] })
  })

  test('after its end stays as it was', async () => {
    const id = await testSession()
    for (const run of await agent.claim()) await agent.report(run, 'passing')
    await service.api('POST', `/v1/test-sessions/${id}/cancel`, {})
    expect(await read('test', id)).toMatchObject({ status: 'PASSED' })
  })
})

test('a session of another account, or of the other kind, is not there', async () => {
  const [ofChecks, ofTests] = [await checkSession(), await testSession()]
  const headers = { authorization: `Bearer ${(await service.addAccount()).apiKey}` }
  for (const url of [`/v1/check-sessions/${ofChecks}/cancel`, `/v1/test-sessions/${ofTests}/cancel`])
    expect((await service.app.inject({ method: 'POST', url, headers })).statusCode).toBe(404)
  const wrongKind = await service.api('POST', '/v1/cancel', { checkSessionId: ofTests })
  expect(wrongKind.statusCode).toBe(404)
  expect(await agent.claim()).toHaveLength(3)
})

test.each([{}, { checkSessionId: 'a', testSessionId: 'b' }])('%j names no one session', async (body) => {
  const answer = await service.api('POST', '/v1/cancel', body)
  expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, ['checkSessionId']])
})
