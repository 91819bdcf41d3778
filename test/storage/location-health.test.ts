import { expect, test } from 'vitest'
import { expireRunsTurn } from '../../src/server/loops/expire-runs.ts'
import { sampleLocationMetricsTurn } from '../../src/server/loops/sample-location-metrics.ts'
import { watchLocationHealthTurn } from '../../src/server/loops/watch-location-health.ts'
import { enqueueRuns, finishRun } from '../../src/storage/check-runs.ts'
import { insertIllLocation } from '../../src/storage/ill-locations.ts'
import { agentCapabilities, agentId, otherAgentId } from '../support/agent-messages.ts'
import { forEachEngine } from '../support/databases.ts'
import { type LedgerService, startLedgerService } from '../support/ledger-service.ts'
import { logLines } from '../support/log-lines.ts'
import { runRow } from '../support/storage-rows.ts'

async function addOffice(service: LedgerService) {
  const place = (await service.api('POST', '/v1/private-locations', { name: 'p', slugName: 'office' })).json()
  const { rawKey } = (await service.api('POST', `/v1/private-locations/${place.id}/keys`)).json()
  const show = async () => (await service.api('GET', `/v1/private-locations/${place.id}`)).json()
  const claim = (slots: number, agent = agentId) =>
    service.agent('claims', { agentId: agent, capabilities: agentCapabilities, slots, waitMs: 0 }, rawKey)
  return { id: place.id, show, claim }
}

forEachEngine((_engine, open) => {
  test('a location where most runs end for our own fault is told of once as ill, shown so, and once as well again', async () => {
    const service = await startLedgerService(await open())
    const { kysely: db } = service.database
    const { logger, lines } = logLines()
    const office = await addOffice(service)
    await office.claim(1)
    const end = async (location: string, outcome: 'passed' | 'errored', count: number) => {
      const at = service.clock.now() - 1
      const runs = Array.from({ length: count }, (_, n) =>
        runRow({
          checkId: `${outcome} ${n}`,
          location,
          dueAt: at,
          accountId: service.accountId,
          dataCenter: 0,
        }),
      )
      await enqueueRuns(db, runs)
      for (const { id } of runs) await finishRun(db, id, { outcome, reason: 'no-egress', at })
    }
    const watch = () => watchLocationHealthTurn({ ...service, logger })
    await end('office', 'errored', 6)
    await end('office', 'passed', 2)
    await end('elsewhere', 'passed', 20)
    await watch()
    await watch()
    expect(lines).toMatchObject([{ level: 50, location: 'office', runs: 8, errored: 6, reason: 'no-egress' }])
    const since = new Date(service.clock.now()).toISOString()
    expect((await office.show()).status).toEqual({ state: 'ill', reason: 'no-egress', since })
    service.clock.advance(240_000)
    await end('office', 'passed', 8)
    await watch()
    expect(lines.slice(1)).toMatchObject([{ level: 30, location: 'office', msg: 'a location is well again' }])
    expect((await office.show()).status).toEqual({ state: 'available', reason: null, since: null })
  })

  test('a location that is made anew under the slug of an ill one is not ill', async () => {
    const service = await startLedgerService(await open())
    const office = await addOffice(service)
    const { accountId } = service
    const ill = { accountId, location: 'office', reason: 'no-egress', sinceAt: 0 }
    expect(await insertIllLocation(service.database.kysely, ill)).toBe(true)
    expect(await insertIllLocation(service.database.kysely, ill)).toBe(false)
    expect((await service.api('DELETE', `/v1/private-locations/${office.id}`)).statusCode).toBe(204)
    const again = await addOffice(service)
    await again.claim(1)
    expect((await again.show()).status.state).toBe('available')
  })

  test('a private location tells whether agents are there, how many of which version, and since when none is', async () => {
    const service = await startLedgerService(await open())
    const office = await addOffice(service)
    const createdAt = new Date(service.clock.now()).toISOString()
    expect(await office.show()).toMatchObject({
      lastSeen: null,
      agentCount: 0,
      status: { state: 'unavailable', reason: expect.stringContaining('yet'), since: createdAt },
    })
    await office.claim(1)
    await office.claim(1, otherAgentId)
    expect(await office.show()).toMatchObject({
      agentCount: 2,
      runningAgents: [{ version: agentCapabilities.version, count: 2 }],
      status: { state: 'available' },
    })
    const seenAt = new Date(service.clock.now()).toISOString()
    service.clock.advance(599_000)
    expect(await office.show()).toMatchObject({ agentCount: 0, status: { state: 'available' } })
    service.clock.advance(1000)
    expect(await office.show()).toMatchObject({
      agentCount: 0,
      status: { state: 'unavailable', reason: 'no agent asks for runs', since: seenAt },
    })
  })

  test('the queue of a location is what waits under load, and what an agent that is gone had', async () => {
    const service = await startLedgerService(await open())
    const office = await addOffice(service)
    const at = service.clock.now()
    const waiting = Array.from({ length: 700 }, (_, n) =>
      runRow({
        checkId: `check ${n}`,
        location: 'office',
        accountId: service.accountId,
        dataCenter: 0,
        dueAt: at - 120_000 + n * 10,
      }),
    )
    await enqueueRuns(service.database.kysely, waiting)
    await office.claim(300)
    const sample = async () => {
      await sampleLocationMetricsTurn(service)
      const now = service.clock.now()
      const url = `/v1/private-locations/${office.id}/metrics?from=${at}&to=${now}`
      const { queueSize, oldestScheduledCheckRun } = (await service.api('GET', url)).json()
      return [queueSize.at(-1), oldestScheduledCheckRun.at(-1)]
    }
    expect(await sample()).toEqual([400, 117])
    service.clock.advance(60_000)
    expect(await sample()).toEqual([700, 180])
  })

  test('a run that agents have again and again without a result is missed after half an hour, and one that is retried is not', async () => {
    const service = await startLedgerService(await open())
    const { kysely: db } = service.database
    const { logger } = logLines()
    const office = await addOffice(service)
    const at = service.clock.now()
    const place = { location: 'office', accountId: service.accountId, dataCenter: 0, dueAt: at } as const
    const [refused, retried] = [
      runRow({ ...place, checkId: 'refused' }),
      runRow({ ...place, checkId: 'retried', attempt: 2, attemptAt: at + 600_000 }),
    ]
    await enqueueRuns(db, [refused, retried])
    for (let minute = 0; minute < 31; minute += 1) {
      await office.claim(10, minute % 2 === 0 ? agentId : otherAgentId)
      service.clock.advance(60_000)
      await expireRunsTurn({ ...service, logger })
    }
    const runs = await db.selectFrom('checkRuns').selectAll().orderBy('checkId').execute()
    expect(runs).toMatchObject([
      { outcome: 'missed', reason: 'not-reported' },
      { state: 'leased', outcome: null },
    ])
  })
})
