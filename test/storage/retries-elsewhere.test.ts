import { expect, test } from 'vitest'
import { createLogger } from '../../src/lib/logger.ts'
import { expireRunsTurn } from '../../src/server/loops/expire-runs.ts'
import { attemptLocations, lastAttempt } from '../../src/storage/attempts-of-runs.ts'
import { queueMetrics } from '../../src/storage/queue-metrics.ts'
import { passingResult } from '../support/agent-messages.ts'
import { forEachEngine } from '../support/databases.ts'
import { startLedgerService } from '../support/ledger-service.ts'
import { firstRun, givenBack } from '../support/two-places.ts'

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })

forEachEngine((_engine, open) => {
  test('a slot whose retry was made elsewhere is that slot, once, whatever it ended with', async () => {
    const service = await startLedgerService(await open())
    const { checkId, run, here, there } = await firstRun(service)
    await here.report(givenBack(service, run))
    const [second] = await there.claim()
    if (!second) throw new Error('nothing was given')
    await there.report(passingResult(second, service.clock.now()))
    await service.planFor(180)
    const { counts, ...report } = await service.audit()
    expect(report).toMatchObject({ beyond: 0, doubles: 0, namedGaps: [] })
    expect(counts).toMatchObject({ passed: 1, gaps: 0, unplanned: 0 })
    const slots = service.database.kysely.selectFrom('checkRuns').select('id').where('checkId', '=', checkId)
    await service.database.kysely
      .deleteFrom('checkRuns')
      .where('id', 'in', slots)
      .where('id', '<>', run.id)
      .execute()
    // One by one, as where something is wrong.
    const alone = await service.audit()
    expect(alone.counts).toMatchObject({ passed: 1, gaps: alone.counts.expected - 1 })
    expect(alone.namedGaps).not.toContainEqual(expect.objectContaining({ dueAt: run.dueAt }))
  })

  test('what waits for its retry is in the queue of where that is to be made', async () => {
    const service = await startLedgerService(await open())
    const { run, here, there } = await firstRun(service)
    const queue = async () =>
      (await queueMetrics(service.database.kysely, service.clock.now())).map(({ location }) => location)
    await here.report(givenBack(service, run))
    expect(await queue()).toEqual([there.slugName])
    await there.claim()
    expect(await queue()).toEqual([])
  })

  test('the same attempt, reported many times at once while both places ask for runs, is followed by one', async () => {
    const service = await startLedgerService(await open())
    const { checkId, run, here, there } = await firstRun(service)
    const attempt = givenBack(service, run)
    const claims = () => [here.claim(), there.claim()]
    const [given] = await Promise.all([
      Promise.all([...claims(), ...claims(), ...claims()]),
      ...Array.from({ length: 6 }, () => here.report(attempt)),
    ])
    const all = [...given.flat(), ...(await Promise.all(claims())).flat()]
    expect(all.map(({ id, location, attempt: nth }) => [id, location, nth])).toEqual([
      [run.id, there.slugName, 2],
    ])
    const results = service.database.kysely.selectFrom('checkResults').select('id')
    expect(await results.where('checkId', '=', checkId).execute()).toHaveLength(1)
  })

  test('a retry that two servers give up at once, or that is claimed meanwhile, ends once', async () => {
    const service = await startLedgerService(await open())
    const { run, here, there } = await firstRun(service)
    await here.report(givenBack(service, run))
    service.clock.advance(6 * 60_000 + 1000)
    const turn = () => expireRunsTurn({ ...service, logger })
    const [, , claimed] = await Promise.all([turn(), turn(), there.claim()])
    const row = await service.database.kysely
      .selectFrom('checkRuns')
      .select(['state', 'outcome'])
      .where('id', '=', run.id)
      .executeTakeFirstOrThrow()
    expect(row).toEqual(
      claimed.some(({ id }) => id === run.id)
        ? { state: 'leased', outcome: null }
        : { state: 'done', outcome: 'failed' },
    )
  })

  test('tells where the attempts of a run were made, and what the last of them saw', async () => {
    const service = await startLedgerService(await open())
    const { run, here, there } = await firstRun(service)
    const { kysely } = service.database
    const row = () =>
      kysely.selectFrom('checkRuns').selectAll().where('id', '=', run.id).executeTakeFirstOrThrow()
    expect(await attemptLocations(kysely, [await row()])).toEqual(new Map())
    expect(await lastAttempt(kysely, await row())).toBeUndefined()
    await here.report(givenBack(service, run))
    const [second] = await there.claim()
    if (!second) throw new Error('nothing was given')
    await there.report(givenBack(service, second))
    const places = new Map([[run.id, new Set([here.slugName, there.slugName])]])
    expect(await attemptLocations(kysely, [await row()])).toEqual(places)
    expect(JSON.parse((await lastAttempt(kysely, await row())) ?? '')).toMatchObject({ attempt: 2 })
    expect(await attemptLocations(kysely, [])).toEqual(new Map())
  })
})
