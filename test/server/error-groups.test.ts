import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Conclusion } from '../../src/contract/result.ts'
import type { Run } from '../../src/contract/run.ts'
import { resultIdOf } from '../../src/contract/run-ids.ts'
import { hashId } from '../../src/lib/ids.ts'
import { resultOf } from '../support/agent-messages.ts'
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

/** A run of the check that somebody asks for, in the hands of the agent. */
async function runOf(checkId: string): Promise<Run> {
  // Whoever asks for runs is there to be given some.
  await agent.claim()
  await service.api('POST', '/v1/check-sessions/trigger', { target: { checkId } })
  const [run] = (await agent.claim()).filter((one) => one.checkId === checkId)
  if (!run) throw new Error('nothing to run')
  return run
}

/** That of a failing result, by its message. */
function conclusion(run: Run, message: string): Conclusion {
  const failing = resultOf(run, service.clock.now(), 'failing').conclusion
  if (failing.kind !== 'judged') throw new Error('not judged')
  return { ...failing, verdict: { ...failing.verdict, reasons: [message] } }
}

async function fail(checkId: string, message: string): Promise<void> {
  const run = await runOf(checkId)
  await agent.report(run, 'failing', { conclusion: conclusion(run, message) })
}

const groupsOf = async (checkId: string) =>
  (await service.api('GET', `/v1/error-groups/checks/${checkId}`)).json()

describe('failing results', () => {
  test('that say the same but for numbers are one group', async () => {
    const checkId = await agent.createCheck()
    await fail(checkId, 'took 900 ms')
    service.clock.advance(86_400_000)
    await fail(checkId, 'took 1100 ms')
    service.clock.advance(1)
    await fail(checkId, 'something else')
    expect(await groupsOf(checkId)).toEqual([
      expect.objectContaining({ cleanedErrorMessage: 'something else' }),
      {
        id: expect.any(String),
        checkId,
        errorHash: hashId('error', 'took <number> ms'),
        rawErrorMessage: 'took 1100 ms',
        cleanedErrorMessage: 'took <number> ms',
        firstSeen: '2026-03-01',
        lastSeen: '2026-03-02',
        archivedUntilNextEvent: false,
        rootCauseAnalyses: [],
      },
    ])
  })

  test('are counted once when they are sent twice, and a retried attempt not at all', async () => {
    const checkId = await agent.createCheck()
    const run = await runOf(checkId)
    const retryAt = service.clock.now() + 1000
    await agent.report(run, 'failing', { resultType: 'ATTEMPT', retryAt })
    expect(await groupsOf(checkId)).toEqual([])
    const final = { attempt: 2, id: resultIdOf(run.id, 2) }
    for (const _again of [1, 2]) await agent.report(run, 'failing', final)
    const rows = await service.database.kysely.selectFrom('errorGroups').select('events').execute()
    expect(rows).toEqual([{ events: 1 }])
  })

  test('make no group where they pass, are degraded, or are our own fault', async () => {
    const checkId = await agent.createCheck()
    await agent.report(await runOf(checkId), 'passing')
    await agent.report(await runOf(checkId), 'degraded')
    const ours = { kind: 'errored', reason: 'agent-fault', message: 'ours' } as const
    await agent.report(await runOf(checkId), 'failing', { conclusion: ours })
    expect(await groupsOf(checkId)).toEqual([])
  })

  test('of two checks are two groups, which the account lists together', async () => {
    const [one, other] = [await agent.createCheck(), await agent.createCheck()]
    for (const checkId of [one, other]) await fail(checkId, 'broken')
    const answer = await service.api('GET', '/v1/error-groups?limit=1&page=2')
    expect(answer.headers['content-range']).toBe('1-1/2')
    expect(answer.json()).toHaveLength(1)
    expect(await groupsOf(one)).toMatchObject([{ checkId: one }])
  })
})

describe('an error group', () => {
  const change = async (id: string, body: object) =>
    (await service.api('PATCH', `/v1/error-groups/${id}`, body)).json()

  test('is archived until the next event, or for ever', async () => {
    const checkId = await agent.createCheck()
    await fail(checkId, 'broken')
    const [{ id }] = await groupsOf(checkId)
    expect(await change(id, { archivedUntilNextEvent: true })).toMatchObject({ archivedUntilNextEvent: true })
    expect(await change(id, {})).toMatchObject({ id, archivedUntilNextEvent: true })
    service.clock.advance(1000)
    await fail(checkId, 'broken')
    const shown = await service.api('GET', `/v1/error-groups/${id}`)
    expect(shown.json()).toMatchObject({ archivedUntilNextEvent: false })
    await change(id, { archiveForEver: true })
    service.clock.advance(1000)
    await fail(checkId, 'broken')
    expect(await groupsOf(checkId)).toMatchObject([{ archivedUntilNextEvent: true }])
    expect(await change(id, { archiveForEver: false })).toMatchObject({ archivedUntilNextEvent: false })
  })

  test('goes with its check', async () => {
    const checkId = await agent.createCheck()
    await fail(checkId, 'broken')
    expect((await service.api('DELETE', `/v1/checks/${checkId}`)).statusCode).toBe(204)
    expect((await service.api('GET', '/v1/error-groups')).json()).toEqual([])
  })

  test('is for nobody else', async () => {
    const checkId = await agent.createCheck()
    await fail(checkId, 'broken')
    const [{ id }] = await groupsOf(checkId)
    const headers = { authorization: `Bearer ${(await service.addAccount()).apiKey}` }
    const ask = async (method: 'GET' | 'PATCH', url: string) =>
      (await service.app.inject({ method, url, headers, ...(method === 'PATCH' && { payload: {} }) }))
        .statusCode
    expect(await ask('GET', `/v1/error-groups/${id}`)).toBe(404)
    expect(await ask('PATCH', `/v1/error-groups/${id}`)).toBe(404)
    expect(await ask('GET', `/v1/error-groups/checks/${checkId}`)).toBe(404)
    expect(await ask('GET', `/v1/test-session-error-groups/${id}`)).toBe(404)
  })

  test.each([{ archiveForEver: 'yes' }, { archivedUntilNextEvent: 1 }])(
    'is not changed by %j: the answer names the field',
    async (body) => {
      const checkId = await agent.createCheck()
      await fail(checkId, 'broken')
      const [{ id }] = await groupsOf(checkId)
      const answer = await service.api('PATCH', `/v1/error-groups/${id}`, body)
      expect([answer.statusCode, answer.json().validation.keys]).toEqual([400, Object.keys(body)])
    },
  )
})

test('a project has no error groups, since there are no projects', async () => {
  const answer = await service.api('GET', '/v1/test-session-error-groups/projects/p')
  expect([answer.statusCode, answer.json()]).toEqual([200, []])
})

test.skipIf(!contractIsHere)(
  `answers are of the shape that existing clients know${skippedWithoutContract}`,
  async () => {
    const checkId = await agent.createCheck()
    await fail(checkId, 'broken')
    const [{ id }] = await groupsOf(checkId)
    const path = '/v1/error-groups'
    const list = await service.api('GET', path)
    expect(contractFaults('GET', path, 200, list.json())).toEqual([])
    expect(contractFaults('GET', `${path}/checks/{checkId}`, 200, await groupsOf(checkId))).toEqual([])
    const one = await service.api('GET', `${path}/${id}`)
    expect(contractFaults('GET', `${path}/{id}`, 200, one.json())).toEqual([])
    const changed = await service.api('PATCH', `${path}/${id}`, { archivedUntilNextEvent: true })
    expect(contractFaults('PATCH', `${path}/{id}`, 200, changed.json())).toEqual([])
  },
)
