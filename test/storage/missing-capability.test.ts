import { expect, test } from 'vitest'
import { expireRunsTurn } from '../../src/server/loops/expire-runs.ts'
import { agentCapabilities, agentId, otherAgentId } from '../support/agent-messages.ts'
import { forEachEngine } from '../support/databases.ts'
import { type LedgerService, startLedgerService } from '../support/ledger-service.ts'
import { logLines } from '../support/log-lines.ts'

const minuteMs = 60_000
const icmp = {
  name: 'Ping',
  locations: ['eu-west-1'],
  frequency: 1,
  request: { hostname: '127.0.0.1', pingCount: 1 },
}

async function create(service: LedgerService, path: string, body: object): Promise<{ id: string }> {
  const answer = await service.api('POST', path, body)
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json()
}

/** An agent asks for runs, says what it can run, and gets none. */
async function ask(service: LedgerService, checkTypes: readonly string[], key?: string): Promise<void> {
  const capabilities = { ...agentCapabilities, checkTypes }
  const id = checkTypes.includes('ICMP') ? otherAgentId : agentId
  const claim = { agentId: id, capabilities, slots: 1, waitMs: 0 }
  const answer = await service.agent('claims', claim, key)
  expect(answer.statusCode, answer.body).toBe(200)
}

const get = async (service: LedgerService, path: string) => (await service.api('GET', path)).json()

const missedReasons = async ({ database }: LedgerService) => {
  const runs = database.kysely.selectFrom('checkRuns').select('reason').distinct()
  return (await runs.where('outcome', '=', 'missed').execute()).map(({ reason }) => reason)
}

forEachEngine((_engine, open) => {
  test('a check that no agent of its location can run says so at once, and its runs are missed for that', async () => {
    const service = await startLedgerService(await open())
    const { id } = await create(service, '/v1/checks/icmp', icmp)
    expect(await get(service, `/v1/check-statuses/${id}`)).toBeNull()
    await ask(service, ['API', 'TCP'])
    const reason = 'missing-capability: no agent at eu-west-1 can run ICMP checks'
    const told = { checkId: id, name: 'Ping', hasErrors: true, hasFailures: false, reason }
    expect(await get(service, `/v1/check-statuses/${id}`)).toMatchObject(told)
    expect(await get(service, '/v1/check-statuses')).toMatchObject([told])
    await service.planFor(65)
    service.clock.advance(6 * minuteMs)
    await ask(service, ['API', 'TCP'])
    await expireRunsTurn({ ...service, logger: logLines().logger })
    expect(await missedReasons(service)).toEqual(['missing-capability'])
    await ask(service, ['ICMP'])
    expect(await get(service, `/v1/check-statuses/${id}`)).toBeNull()
  })

  test('what nobody came for although an agent could have is not claimed, as ever', async () => {
    const service = await startLedgerService(await open())
    await create(service, '/v1/checks/icmp', icmp)
    await service.planFor(65)
    service.clock.advance(6 * minuteMs)
    await ask(service, ['API'])
    const { clock } = service
    await service.database.kysely
      .updateTable('agents')
      .set({ checkTypes: JSON.stringify(['API', 'ICMP']), lastSeenAt: clock.now() })
      .execute()
    await expireRunsTurn({ ...service, logger: logLines().logger })
    expect(await missedReasons(service)).toEqual(['not-claimed'])
  })

  test('a private location tells which of its checks nobody there can run, and the check tells where', async () => {
    const service = await startLedgerService(await open())
    const names = ['closet', 'cellar']
    const places: { id: string }[] = []
    for (const slugName of names)
      places.push(await create(service, '/v1/private-locations', { name: slugName, slugName }))
    const keys: string[] = []
    for (const { id } of places)
      keys.push((await service.api('POST', `/v1/private-locations/${id}/keys`)).json().rawKey)
    const body = { ...icmp, locations: [], privateLocations: names }
    const check = await create(service, '/v1/checks/icmp', body)
    await ask(service, ['API', 'ICMP'], keys[0])
    await ask(service, ['API'], keys[1])
    const status = async (index: number) =>
      (await get(service, `/v1/private-locations/${places[index]?.id}`)).status
    expect(await status(0)).toEqual({ state: 'available', reason: null, since: null })
    expect(await status(1)).toEqual({
      state: 'available',
      reason: 'missing-capability: no agent here can run ICMP checks: 1 of its checks does not run',
      since: null,
    })
    expect(await get(service, `/v1/check-statuses/${check.id}`)).toMatchObject({
      reason: 'missing-capability: no agent at cellar can run ICMP checks',
    })
    await service.api('PUT', `/v1/checks/icmp/${check.id}`, { ...body, activated: false })
    expect(await get(service, `/v1/check-statuses/${check.id}`)).toBeNull()
    expect((await status(1)).reason).toBeNull()
  })
})
