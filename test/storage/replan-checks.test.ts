import { expect, test } from 'vitest'
import type { ClaimResponse } from '../../src/contract/agent-protocol.ts'
import { agentCapabilities, agentId } from '../support/agent-messages.ts'
import { forEachEngine } from '../support/databases.ts'
import { startLedgerService } from '../support/ledger-service.ts'

const window = { name: 'w', tags: ['db'], startsAt: '2026-03-01', endsAt: '2026-03-02', repeatUnit: 'DAY' }

forEachEngine((_engine, open) => {
  test('a maintenance window that is made, and one that is deleted, counts for runs that were planned already', async () => {
    const service = await startLedgerService(await open())
    const create = (tags: string[]) =>
      Promise.all(Array.from({ length: 20 }, () => service.createCheck({ tags })))
    const ids = await create(['db'])
    const other = await create([])
    const planned = async (checkIds: readonly string[]) => {
      const runs = service.database.kysely.selectFrom('checkRuns').selectAll().orderBy('dueAt').orderBy('id')
      return (
        await runs
          .where('checkId', 'in', checkIds)
          .where('dueAt', '>', service.clock.now() + 2000)
          .execute()
      ).map(({ dueAt, reason }) => ({ dueAt, reason }))
    }
    await service.planFor(20)
    const [before, others] = [await planned(ids), await planned(other)]
    expect(Math.min(before.length, others.length), 'runs planned ahead').toBeGreaterThanOrEqual(1)
    const { id } = (await service.api('POST', '/v1/maintenance-windows', window)).json()
    await service.plan(1)
    expect(await planned(ids)).toEqual(before.map(({ dueAt }) => ({ dueAt, reason: 'maintenance' })))
    expect(await planned(other)).toEqual(others)
    await service.api('PUT', `/v1/maintenance-windows/${id}`, { ...window, tags: ['web'] })
    await service.plan(1)
    expect(await planned(ids)).toEqual(before)
    await service.api('PUT', `/v1/maintenance-windows/${id}`, window)
    expect((await service.api('DELETE', `/v1/maintenance-windows/${id}`)).statusCode).toBe(204)
    await service.plan(1)
    expect(await planned(ids)).toEqual(before)
    await service.planFor(30)
    expect(await service.audit()).toMatchObject({ counts: { gaps: 0 }, beyond: 0, doubles: 0 })
  })

  test('a run that an agent has already stays the agent’s', async () => {
    const service = await startLedgerService(await open())
    await service.createCheck({ tags: ['db'] })
    await service.planFor(10)
    const claim = { agentId, capabilities: agentCapabilities, slots: 10, waitMs: 0 }
    const { runs } = (await service.agent('claims', claim)).json<ClaimResponse>()
    await service.api('POST', '/v1/maintenance-windows', window)
    const runIds = runs.map(({ id }) => id)
    expect(runIds.length).toBeGreaterThanOrEqual(1)
    expect((await service.agent('leases', { agentId, runIds })).json().lost).toEqual([])
  })
})
