import { expect, onTestFinished, test } from 'vitest'
import { forEachEngine } from '../support/databases.ts'
import { onDemand } from '../support/on-demand.ts'
import { startTestService } from '../support/test-service.ts'

forEachEngine((_engine, open) => {
  async function start() {
    const service = await startTestService({ database: await open() })
    onTestFinished(() => service.app.close())
    return { service, agent: onDemand(service) }
  }

  test('a group that a URL runs goes on from check to check', async () => {
    const { service, agent } = await start()
    const group = await service.api('POST', '/v2/check-groups', { name: 'g', concurrency: 1 })
    const groupId = group.json().id
    for (const name of ['one', 'two']) await agent.createCheck({ name, groupId })
    const { token } = (await service.api('POST', `/v1/triggers/check-groups/${groupId}`)).json()
    const answer = service.app.inject({ method: 'GET', url: `/check-groups/${groupId}/trigger/${token}` })
    for (const _turn of [1, 2]) {
      const runs = await agent.claim({ waitMs: 20_000 })
      expect(runs).toHaveLength(1)
      for (const run of runs) await agent.report(run, 'passing')
    }
    expect((await answer).json()).toMatchObject({ status: 'PASSED', results: [{}, {}] })
    const trigger = await service.api('GET', `/v1/triggers/check-groups/${groupId}`)
    expect(trigger.json()).toMatchObject({ groupId, called_at: '2026-03-01' })
  })

  test('sessions of checks and of tests end, fail into their own error groups, and are called off', async () => {
    const { service, agent } = await start()
    const checkId = await agent.createCheck()
    const target = { checkId }
    const ofCheck = await service.api('POST', '/v1/check-sessions/trigger', { target })
    const body = { name: 't', runLocation: 'eu-west-1', target, metadata: { environment: 'staging' } }
    const ofTest = await service.api('POST', '/v1/test-sessions/trigger', body)
    for (const run of await agent.claim()) await agent.report(run, 'failing')
    const [{ checkSessionId }] = ofCheck.json().sessions
    const session = await service.api('GET', `/v1/check-sessions/${checkSessionId}/completion`)
    expect(session.json()).toMatchObject({ status: 'FAILED', results: [{ responseTime: 12.5 }] })
    const tested = await service.api('GET', `/v1/test-sessions/${ofTest.json().testSessionId}/completion`)
    expect(tested.json()).toMatchObject({ status: 'FAILED', results: [{ hasFailures: true }] })
    expect((await service.api('GET', `/v1/error-groups/checks/${checkId}`)).json()).toHaveLength(1)
    const groups = (await service.api('GET', '/v1/test-session-error-groups')).json()
    expect(groups).toMatchObject([{ environments: ['staging'] }])
    const again = await service.api('POST', '/v1/test-sessions/trigger', body)
    const url = `/v1/test-sessions/${again.json().testSessionId}`
    await service.api('POST', `${url}/cancel`)
    expect((await service.api('GET', url)).json()).toMatchObject({ status: 'CANCELLED' })
    const listed = (await service.api('GET', '/v1/test-sessions')).json()
    expect(listed.entries.map(({ status }: { status: string }) => status).toSorted()).toEqual([
      'CANCELLED',
      'FAILED',
    ])
  })
})
