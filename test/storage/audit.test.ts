import { expect, test } from 'vitest'
import { hashId } from '../../src/lib/ids.ts'
import { noteKnownSchedules } from '../../src/server/stored/schedule-changes.ts'
import { deleteDoneRunsBefore, enqueueRuns, finishRun } from '../../src/storage/check-runs.ts'
import type { Database } from '../../src/storage/database.ts'
import { deleteSchedulesBefore } from '../../src/storage/schedule-history.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { forEachEngine } from '../support/databases.ts'
import { startLedgerService } from '../support/ledger-service.ts'

const both = ['eu-west-1', 'us-east-1']
const runsOf = ({ kysely }: Database, checkId: string) =>
  kysely.selectFrom('checkRuns').selectAll().where('checkId', '=', checkId).orderBy('dueAt').execute()

forEachEngine((_engine, open) => {
  test('every slot of round robins and parallel checks is accounted for, whatever its outcome', async () => {
    const database = await open()
    const service = await startLedgerService(database)
    const robin = await service.createCheck({ locations: [...both, 'ap-south-1'] })
    await service.createCheck({ locations: both, runParallel: true, frequencyOffset: 20 })
    await service.planFor(60)
    const outcomes = ['passed', 'degraded', 'failed', 'errored'] as const
    for (const [n, { id }] of (await runsOf(database, robin)).entries()) {
      const outcome = outcomes[n]
      if (outcome) await finishRun(database.kysely, id, { outcome, reason: null, at: service.clock.now() })
    }
    const { counts, ...report } = await service.audit()
    expect(counts).toMatchObject({
      expected: 12,
      passed: 1,
      degraded: 1,
      failed: 1,
      errored: 1,
      open: 8,
      gaps: 0,
    })
    expect(report).toMatchObject({ checks: 2, beyond: 0, doubles: 0, ofDeletedChecks: 0 })
  })

  test('a slot whose run is gone is a gap with its name, though another run makes up the number', async () => {
    const database = await open()
    const service = await startLedgerService(database)
    const checkId = await service.createCheck()
    await service.planFor(60)
    const [first, second] = await runsOf(database, checkId)
    if (!first || !second) throw new Error('nothing was planned')
    await database.kysely.deleteFrom('checkRuns').where('id', '=', second.id).execute()
    await enqueueRuns(database.kysely, [{ ...first, id: hashId('a second run of the slot') }])
    const report = await service.audit()
    const named = ({ location, dueAt }: typeof first) => [{ checkId, location, dueAt }]
    expect(report.counts).toMatchObject({ expected: 6, gaps: 1 })
    expect(report.namedGaps).toEqual(named(second))
    expect([report.doubles, report.namedDoubles]).toEqual([1, named(first)])
  })

  test('slots of a time without a server are missed, and not planned yet until one is back', async () => {
    const database = await open()
    const service = await startLedgerService(database)
    await service.createCheck({ locations: both, runParallel: true })
    await service.planFor(30)
    service.clock.advance(3_600_000)
    const before = (await service.audit()).counts
    expect(before).toMatchObject({ gaps: 0 })
    expect(before.unplanned).toBeGreaterThanOrEqual(2 * 359)
    await service.planFor(1)
    const { counts } = await service.audit()
    expect(counts).toMatchObject({ gaps: 0, unplanned: 0 })
    expect(counts.expected).toBeGreaterThanOrEqual(726)
    expect(counts.missed.get('service-down')).toBeGreaterThanOrEqual(714)
  })

  test('what was expected is what the check said then, however often it changed since', async () => {
    const database = await open()
    const service = await startLedgerService(database)
    const id = await service.createCheck({ locations: both })
    const put = async (overrides: Record<string, unknown>) => {
      const answer = await service.api('PUT', `/v1/checks/api/${id}`, apiCheckBody(overrides))
      expect(answer.statusCode, answer.body).toBe(200)
    }
    const changes = [
      { locations: ['us-east-1'] },
      { activated: false },
      { frequencyOffset: 20 },
      { frequency: 1, frequencyOffset: 7 },
      { locations: both, runParallel: true },
      { name: 'another', locations: both, runParallel: true },
    ]
    for (const change of changes) {
      await service.planFor(63)
      await put(change)
    }
    await service.planFor(63)
    const report = await service.audit()
    expect(report.counts).toMatchObject({ gaps: 0, unplanned: 0 })
    expect(report.counts.expected).toBe(report.counts.open)
    expect(report.counts.expected).toBeGreaterThanOrEqual(6 + 6 + 0 + 3 + 1 + 12 + 12 - 3)
    expect(report).toMatchObject({ beyond: 0, doubles: 0 })
  })

  test('a change while no server plans leaves no slot before it without a reason', async () => {
    const database = await open()
    const service = await startLedgerService(database)
    const group = (await service.api('POST', '/v2/check-groups', { name: 'g' })).json()
    await service.createCheck({ groupId: group.id })
    const alone = await service.createCheck()
    await service.planFor(20)
    service.clock.advance(600_000)
    await service.api('PUT', `/v1/checks/api/${alone}`, apiCheckBody({ frequencyOffset: 30 }))
    await service.api('PUT', `/v2/check-groups/${group.id}`, { name: 'g', activated: false })
    service.clock.advance(60_000)
    await service.planFor(1)
    const { counts } = await service.audit()
    expect(counts).toMatchObject({ gaps: 0, unplanned: 0 })
    expect(counts.missed.get('service-down')).toBeGreaterThanOrEqual(118)
  })

  test('a slot in maintenance and one at a place without agents have their reason', async () => {
    const database = await open()
    const service = await startLedgerService(database)
    await service.api('POST', '/v1/maintenance-windows', {
      name: 'w',
      tags: ['db'],
      startsAt: '2026-03-01T12:00:00Z',
      endsAt: '2026-03-01T12:01:00Z',
      repeatUnit: 'DAY',
    })
    await service.createCheck({ tags: ['db'] })
    await service.planFor(120)
    service.clock.advance(540_000)
    await service.planFor(60)
    const { counts } = await service.audit()
    expect(counts.gaps).toBe(0)
    expect(counts.missed.get('maintenance')).toBeGreaterThanOrEqual(5)
    expect(counts.missed.get('location-unavailable')).toBeGreaterThanOrEqual(5)
  })

  test('slots of a deleted check are told apart: its ledger went with it', async () => {
    const database = await open()
    const service = await startLedgerService(database)
    const id = await service.createCheck()
    await service.planFor(60)
    expect((await service.api('DELETE', `/v1/checks/${id}`)).statusCode).toBe(204)
    service.clock.advance(60_000)
    expect(await service.audit()).toMatchObject({
      checks: 0,
      ofDeletedChecks: 6,
      counts: { expected: 0, gaps: 0 },
    })
  })

  test('a check of before schedules were kept is expected from where its plan ends', async () => {
    const database = await open()
    const service = await startLedgerService(database)
    await service.createCheck()
    await service.planFor(60)
    await database.kysely.deleteFrom('checkSchedules').execute()
    expect(await noteKnownSchedules(database)).toBe(1)
    expect(await noteKnownSchedules(database)).toBe(0)
    await service.planFor(60)
    const report = await service.audit()
    expect(report.counts).toMatchObject({ gaps: 0 })
    expect(report.counts.expected).toBeGreaterThanOrEqual(5)
  })

  test('of a schedule that is forgotten, that of today stays', async () => {
    const database = await open()
    const service = await startLedgerService(database)
    const id = await service.createCheck()
    const gone = await service.createCheck()
    await service.planFor(30)
    await service.api('PUT', `/v1/checks/api/${id}`, apiCheckBody({ frequencyOffset: 30 }))
    await service.api('DELETE', `/v1/checks/${gone}`)
    await service.planFor(30)
    const remove = () => deleteSchedulesBefore(database.kysely, service.clock.now())
    expect(await remove()).toBe(2)
    expect(await remove()).toBe(1)
    await deleteDoneRunsBefore(database.kysely, service.clock.now())
    const rows = await database.kysely.selectFrom('checkSchedules').selectAll().execute()
    expect(rows).toMatchObject([{ checkId: id, intervalMs: 30_000 }])
  })
})
