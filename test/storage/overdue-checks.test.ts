import { expect, test } from 'vitest'
import { OverdueWatch } from '../../src/server/loops/watch-overdue.ts'
import { finishRun } from '../../src/storage/check-runs.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { forEachEngine, openFresh } from '../support/databases.ts'
import { type LedgerService, startLedgerService } from '../support/ledger-service.ts'
import { logLines } from '../support/log-lines.ts'

/** Plans, and looks every 15 seconds. With a result each slot that was due ends before that. */
async function goOn(
  service: LedgerService,
  watch: OverdueWatch,
  seconds: number,
  outcome?: 'passed' | 'errored',
) {
  for (let second = 0; second < seconds; second += 15) {
    await service.planFor(15)
    if (outcome) await endDue(service, outcome)
    await watch.turn()
  }
}

async function endDue({ database: { kysely }, clock }: LedgerService, outcome: 'passed' | 'errored') {
  const due = kysely.selectFrom('checkRuns').select('id').where('dueAt', '<=', clock.now())
  for (const { id } of await due.where('state', '<>', 'done').execute())
    await finishRun(kysely, id, { outcome, reason: null, at: clock.now() })
}

forEachEngine((_engine, open) => {
  const start = async () => {
    const service = await startLedgerService(await open())
    const { logger, lines } = logLines()
    const told = () => lines.map(({ msg, checks }) => `${checks} ${String(msg).split(/[:.]/, 1)[0]}`)
    const status = async (id: string) => (await service.api('GET', `/v1/check-statuses/${id}`)).json()
    return { service, told, status, watch: new OverdueWatch({ ...service, logger }) }
  }

  test('a check without a result for three intervals is told of once, shown, and forgotten when it has one', async () => {
    const { service, told, status, watch } = await start()
    const silent = await service.createCheck()
    const slow = await service.createCheck({ frequency: 10, frequencyOffset: 1 })
    await goOn(service, watch, 75)
    expect(told()).toEqual([])
    await goOn(service, watch, 60)
    expect(told()).toEqual(['1 checks are overdue'])
    const shown = { hasErrors: true, hasFailures: false, reason: expect.stringContaining('Overdue') }
    expect(await status(silent)).toMatchObject({ ...shown, overdueSince: '2026-03-01T12:00:00.000Z' })
    expect(await status(slow)).toBeNull()
    expect((await service.api('GET', '/v1/check-statuses')).json()).toMatchObject([
      { checkId: silent, ...shown },
    ])
    await goOn(service, watch, 30, 'passed')
    expect(told()).toEqual(['1 checks are overdue', '1 checks are overdue no longer'])
    expect(await status(silent)).toBeNull()
  })

  test('a check that runs, errs, is in maintenance or has no agent at its place is not overdue', async () => {
    const { service, told, watch } = await start()
    await service.createCheck()
    await goOn(service, watch, 300, 'errored')
    await service.api('POST', '/v1/maintenance-windows', {
      name: 'w',
      tags: ['db'],
      startsAt: '2026-03-01T12:00:00Z',
      endsAt: '2026-03-01T12:20:00Z',
      repeatUnit: 'DAY',
    })
    await service.createCheck({ tags: ['db'] })
    await goOn(service, watch, 360, 'passed')
    // Nobody has asked for runs in these ten minutes.
    await goOn(service, watch, 300)
    expect(told()).toEqual([])
  })

  test('silence of a time when this service was stopped, and of a check that was off, is not held against a check', async () => {
    const { service, told, watch } = await start()
    const id = await service.createCheck()
    await goOn(service, watch, 60, 'passed')
    service.clock.advance(300_000)
    await goOn(service, watch, 60)
    expect(told()).toEqual([])
    await service.api('PUT', `/v1/checks/api/${id}`, apiCheckBody({ activated: false }))
    await goOn(service, watch, 300)
    await service.seeAgent()
    await service.api('PUT', `/v1/checks/api/${id}`, apiCheckBody())
    await goOn(service, watch, 75)
    expect(told()).toEqual([])
  })

  test('a check that is deleted is overdue no longer', async () => {
    const { service, told, watch } = await start()
    const id = await service.createCheck()
    await goOn(service, watch, 120)
    await service.api('DELETE', `/v1/checks/${id}`)
    await goOn(service, watch, 15)
    expect(told()).toEqual(['1 checks are overdue', '1 checks are overdue no longer'])
    expect(await service.database.kysely.selectFrom('overdueChecks').selectAll().execute()).toEqual([])
  })
})

test('of several servers on one database one tells of an overdue check', async () => {
  const service = await startLedgerService(await openFresh('postgres'))
  const { logger, lines } = logLines()
  const watches = Array.from({ length: 3 }, () => new OverdueWatch({ ...service, logger }))
  await service.createCheck()
  for (let turn = 0; turn < 9; turn += 1) {
    await service.planFor(15)
    await Promise.all(watches.map((watch) => watch.turn()))
  }
  expect(lines.filter(({ msg }) => String(msg).startsWith('checks are overdue:'))).toHaveLength(1)
})
