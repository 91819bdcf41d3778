import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Run } from '../../src/contract/run.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { expireRunsTurn } from '../../src/server/loops/expire-runs.ts'
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

const createGroup = async (body: object = {}): Promise<number> =>
  (await service.api('POST', '/v2/check-groups', { name: 'g', ...body })).json().id

/** Somebody without a key. */
const call = (url: string, method: 'GET' | 'POST' = 'GET') => service.app.inject({ method, url })

async function urlOf(checkId: string): Promise<string> {
  const { token } = (await service.api('POST', `/v1/triggers/checks/${checkId}`)).json()
  return `/checks/${checkId}/trigger/${token}`
}
async function urlOfGroup(groupId: number): Promise<string> {
  const { token } = (await service.api('POST', `/v1/triggers/check-groups/${groupId}`)).json()
  return `/check-groups/${groupId}/trigger/${token}`
}

/** As soon as there is something. */
async function claimOne(): Promise<Run> {
  const [run] = await agent.claim({ waitMs: 20_000, slots: 1 })
  if (!run) throw new Error('nothing to run')
  return run
}

describe('a trigger', () => {
  test('of a check is made once, shown, and deleted', async () => {
    const checkId = await agent.createCheck()
    const path = `/v1/triggers/checks/${checkId}`
    expect((await service.api('GET', path)).statusCode).toBe(404)
    const made = await service.api('POST', path)
    expect(made.statusCode).toBe(201)
    expect(made.json()).toEqual({
      id: 1,
      checkId,
      token: expect.stringMatching(/^[\w-]{32}$/),
      created_at: '2026-03-01',
      called_at: null,
      updated_at: null,
    })
    expect((await service.api('POST', path)).json()).toEqual(made.json())
    expect((await service.api('GET', path)).json()).toEqual(made.json())
    expect((await service.api('DELETE', path)).statusCode).toBe(204)
    expect((await service.api('GET', path)).statusCode).toBe(404)
    expect((await service.api('DELETE', path)).statusCode).toBe(404)
    const { token } = (await service.api('POST', path)).json()
    expect(token).not.toBe(made.json().token)
  })

  test('of a group has its id', async () => {
    const groupId = await createGroup()
    const path = `/v1/triggers/check-groups/${groupId}`
    const made = (await service.api('POST', path)).json()
    expect(made).toMatchObject({ groupId, called_at: null })
    expect((await service.api('GET', path)).json()).toEqual(made)
    expect((await service.api('DELETE', path)).statusCode).toBe(204)
  })

  test('goes with its check and with its group', async () => {
    const [checkId, groupId] = [await agent.createCheck(), await createGroup()]
    await urlOf(checkId)
    await urlOfGroup(groupId)
    expect((await service.api('DELETE', `/v1/checks/${checkId}`)).statusCode).toBe(204)
    expect((await service.api('DELETE', `/v1/check-groups/${groupId}`)).statusCode).toBe(204)
    expect(await service.database.kysely.selectFrom('triggers').selectAll().execute()).toEqual([])
  })

  test('is for nobody else: another account’s check and group are not there', async () => {
    const [checkId, groupId] = [await agent.createCheck(), await createGroup()]
    await urlOf(checkId)
    await urlOfGroup(groupId)
    const headers = { authorization: `Bearer ${(await service.addAccount()).apiKey}` }
    for (const what of [`checks/${checkId}`, `check-groups/${groupId}`]) {
      for (const method of ['GET', 'POST', 'DELETE'] as const) {
        const answer = await service.app.inject({ method, url: `/v1/triggers/${what}`, headers })
        expect([method, what, answer.statusCode]).toEqual([method, what, 404])
      }
    }
  })

  test.skipIf(!contractIsHere)(`has the shape that clients know${skippedWithoutContract}`, async () => {
    const paths = [
      ['/v1/triggers/checks/{checkId}', await agent.createCheck()],
      ['/v1/triggers/check-groups/{groupId}', await createGroup()],
    ] as const
    for (const [route, id] of paths) {
      const url = route.replace(/\{\w+\}/, String(id))
      const made = await service.api('POST', url)
      expect(contractFaults('POST', route, 201, made.json())).toEqual([])
      const shown = await service.api('GET', url)
      expect(contractFaults('GET', route, 200, shown.json())).toEqual([])
    }
  })
})

describe('the URL of a trigger', () => {
  test.each(['GET', 'POST'] as const)(
    'runs the check by %s without a key, and says that it passed',
    async (method) => {
      const checkId = await agent.createCheck()
      const url = await urlOf(checkId)
      const answer = call(url, method)
      await agent.report(await claimOne(), 'passing')
      expect((await answer).statusCode).toBe(200)
      expect((await answer).json()).toMatchObject({
        hasFailures: false,
        hasErrors: false,
        status: 'PASSED',
        results: [{ checkId }],
      })
      const trigger = await service.api('GET', `/v1/triggers/checks/${checkId}`)
      expect(trigger.json().called_at).toBe('2026-03-01')
    },
  )

  test('answers 503 when the check fails', async () => {
    const url = await urlOf(await agent.createCheck())
    const answer = call(url)
    await agent.report(await claimOne(), 'failing')
    expect((await answer).statusCode).toBe(503)
    expect((await answer).json()).toMatchObject({ hasFailures: true, hasErrors: false, status: 'FAILED' })
  })

  test('answers 503 when nothing can be said of the target, and does not call that a failure', async () => {
    const url = await urlOf(await agent.createCheck())
    const answer = call(url)
    const conclusion = { kind: 'errored', reason: 'agent-fault', message: 'ours' } as const
    await agent.report(await claimOne(), 'failing', { conclusion })
    expect((await answer).statusCode).toBe(503)
    expect((await answer).json()).toMatchObject({ hasFailures: false, hasErrors: true, status: 'TIMED_OUT' })
  })

  test('runs a deactivated check, too: it was named', async () => {
    const url = await urlOf(await agent.createCheck({ activated: false }))
    const answer = call(url)
    await agent.report(await claimOne(), 'passing')
    expect((await answer).statusCode).toBe(200)
  })

  test('is none with another token, another check, or by HEAD', async () => {
    const [checkId, other] = [await agent.createCheck(), await agent.createCheck()]
    const url = await urlOf(checkId)
    for (const wrong of [`${url}x`, url.replace(checkId, other), url.replace('/checks/', '/check-groups/')]) {
      const { statusCode } = await call(wrong)
      expect([400, 404]).toContain(statusCode)
    }
    expect((await service.app.inject({ method: 'HEAD', url })).statusCode).toBe(404)
    expect(await agent.claim()).toEqual([])
  })

  test('is answered 503 at once, with the reason, when there is nothing that could run', async () => {
    const answer = await call(await urlOfGroup(await createGroup()))
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toMatchObject({ hasFailures: false, hasErrors: true, results: [] })
    expect(answer.json().message).toMatch(/^There is nothing to run/)
  })

  test('may be called ten times a minute, by GET and POST together', async () => {
    const url = await urlOfGroup(await createGroup())
    const other = await urlOfGroup(await createGroup())
    const calls = Array.from({ length: 10 }, (_, n) => call(url, n % 2 === 0 ? 'GET' : 'POST'))
    for (const { statusCode } of await Promise.all(calls)) expect(statusCode).toBe(503)
    const tooMany = await call(url)
    expect([tooMany.statusCode, tooMany.json().error]).toEqual([429, 'Too Many Requests'])
    expect(Number(tooMany.headers['retry-after'])).toBeGreaterThan(0)
    expect((await call(other)).statusCode).toBe(503)
  })
})

describe('the URL of a group’s trigger', () => {
  async function groupOf(concurrency: number, orders: readonly (number | null)[]) {
    const groupId = await createGroup({ concurrency })
    const names = new Map<string, string>()
    for (const groupOrder of orders) {
      const name = `order ${groupOrder}`
      names.set(await agent.createCheck({ name, groupId, groupOrder }), name)
    }
    return { groupId, names, url: await urlOfGroup(groupId) }
  }

  test('runs its checks in their order, no more at once than its concurrency', async () => {
    const { names, url } = await groupOf(2, [null, 3, 1, 2])
    const answer = call(url)
    const first = await agent.claim({ waitMs: 20_000 })
    expect(first.map(({ checkId }) => names.get(checkId)).toSorted()).toEqual(['order 1', 'order 2'])
    expect(await agent.claim()).toEqual([])
    const [one, two] = first
    if (!one || !two) throw new Error('nothing to run')
    service.clock.advance(400_000)
    await agent.report(one, 'passing')
    const third = await agent.claim()
    const later = third.filter(({ id }) => id !== two.id)
    expect(later.map(({ checkId, dueAt }) => [names.get(checkId), dueAt])).toEqual([
      ['order 3', service.clock.now()],
    ])
    await agent.report(two, 'passing')
    const last = await agent.claim()
    expect(last.map(({ checkId }) => names.get(checkId))).toEqual(['order null'])
    for (const run of [...later, ...last]) await agent.report(run, 'passing')
    expect((await answer).statusCode).toBe(200)
    expect((await answer).json().results).toHaveLength(4)
  })

  test('goes on with the next check when one is missed', async () => {
    const { url } = await groupOf(1, [1, 2])
    const answer = call(url)
    const missed = { kind: 'missed', reason: 'late' } as const
    await agent.report(await claimOne(), 'passing', { conclusion: missed })
    await agent.report(await claimOne(), 'passing')
    expect((await answer).statusCode).toBe(503)
    expect((await answer).json()).toMatchObject({ hasFailures: false, hasErrors: true })
  })

  test('goes on when the check that runs is deleted, or nobody comes for it', async () => {
    const { names, url } = await groupOf(1, [1, 2, 3])
    const answer = call(url)
    const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
    const { checkId } = await claimOne()
    await service.api('DELETE', `/v1/checks/${checkId}`)
    expect(await agent.claim()).toEqual([])
    await expireRunsTurn({ ...service, logger })
    await expireRunsTurn({ ...service, logger })
    const pending = await service.database.kysely
      .selectFrom('checkRuns')
      .select('checkId')
      .where('state', '=', 'pending')
      .execute()
    expect(pending.map((run) => names.get(run.checkId))).toEqual(['order 2'])
    service.clock.advance(6 * 60_000 + 1)
    await expireRunsTurn({ ...service, logger })
    const last = await claimOne()
    expect(names.get(last.checkId)).toBe('order 3')
    await agent.report(last, 'passing')
    expect((await answer).json()).toMatchObject({ hasFailures: false, hasErrors: true, results: [{}, {}] })
  })

  test('leaves out a check that is deactivated itself', async () => {
    const { groupId, url } = await groupOf(3, [1])
    await agent.createCheck({ groupId, activated: false })
    const answer = call(url)
    await agent.report(await claimOne(), 'passing')
    expect((await answer).json().results).toHaveLength(1)
  })
})
