import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { tellHeartbeat, waitingForFirstPing } from '../../src/rules/heartbeat-state.ts'
import { overdueTurns } from '../../src/server/heartbeats/fail-overdue.ts'
import { OwnDowntime } from '../../src/server/heartbeats/own-downtime.ts'
import { takePings } from '../../src/server/heartbeats/take-pings.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { migrate } from '../../src/storage/migrate.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { listDowntimes } from '../../src/storage/service-downtimes.ts'
import { forEachEngine } from '../support/databases.ts'
import { addHeartbeat, pingAt, storyOf } from '../support/heartbeat-rows.ts'
import { manualClock } from '../support/manual-clock.ts'
import { addAccount, t0 } from '../support/storage-rows.ts'

const secondMs = 1000
const timing = { periodMs: 100 * secondMs, graceMs: 20 * secondMs }

/** Thousands of commits that need no disk. */
async function openInMemory(): Promise<Database> {
  const database = await openDatabase('sqlite::memory:')
  onTestFinished(() => database.close())
  await migrate(database)
  return database
}

interface OpenService {
  readonly clock: ReturnType<typeof manualClock>
  /** The service looks, as often as it asks to, until then. */
  aliveUntil(at: number): Promise<void>
  /** It ends without a word, and starts again then. */
  killedUntil(at: number): Promise<void>
  take(...pings: readonly ReturnType<typeof pingAt>[]): Promise<void>
}

async function openService(database: Database): Promise<OpenService> {
  const clock = manualClock()
  clock.ms = t0
  let downtime = await OwnDowntime.read(database.kysely)
  let turn = overdueTurns({ database, clock, downtime })
  const killedUntil = async (at: number) => {
    clock.ms = at
    downtime = await OwnDowntime.read(database.kysely)
    turn = overdueTurns({ database, clock, downtime })
  }
  return {
    clock,
    killedUntil,
    aliveUntil: async (at) => {
      for (;;) {
        const waitMs = await turn()
        if (clock.ms >= at) return
        clock.ms = Math.min(at, clock.ms + waitMs)
      }
    },
    take: async (...pings) => {
      const now = clock.now()
      await database.transaction((db) =>
        takePings(db, pings, { now, unrecorded: downtime.unrecorded(now), mayRepeat: true }),
      )
    },
  }
}

type Step =
  | { readonly kind: 'ping'; readonly fails: boolean }
  /** Taken elsewhere; we have it with the next delivery. */
  | { readonly kind: 'held'; readonly fails: boolean }
  | { readonly kind: 'deliver' }
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'killed'; readonly seconds: number }

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('ping' as const), fails: fc.boolean() }),
    fc.record({ kind: fc.constant('held' as const), fails: fc.boolean() }),
    fc.record({ kind: fc.constant('deliver' as const) }),
    fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 150 }) }),
    fc.record({ kind: fc.constant('killed' as const), seconds: fc.integer({ min: 1, max: 300 }) }),
  ),
  { minLength: 1, maxLength: 12 },
)

forEachEngine((engine, open) => {
  test('in whatever order pings come to us, and however often we die, the story is that of what happened', async () => {
    const database = engine === 'sqlite' ? await openInMemory() : await open()
    const accountId = await addAccount(database)
    const service = await openService(database)
    let at = t0
    const story = async (plan: readonly Step[]) => {
      const { token, checkId } = await addHeartbeat(database, accountId)
      const from = at
      const sent: { at: number; fails: boolean }[] = []
      let held: ReturnType<typeof pingAt>[] = []
      const deliver = async () => {
        // A batch whose answer was lost comes again.
        for (const again of held.length > 0 ? [held, held] : []) await service.take(...again)
        held = []
      }
      const pass = async (seconds: number) => {
        at += seconds * secondMs
        await service.aliveUntil(at)
      }
      const ping = async (fails: boolean) => {
        // No two in one second: those are one event.
        await pass(1)
        sent.push({ at, fails })
        return pingAt(token, at, { kind: fails ? 'fail' : 'success' })
      }
      const carryOut = async (step: Step) => {
        switch (step.kind) {
          case 'ping':
            return service.take(await ping(step.fails))
          case 'held':
            return void held.push(await ping(step.fails))
          case 'deliver':
            return deliver()
          case 'pass':
            return pass(step.seconds)
          case 'killed':
            at += step.seconds * secondMs
            await service.killedUntil(at)
            // Until it knows that nobody else was alive.
            return pass(3)
        }
      }
      for (const step of plan) await carryOut(step)
      await deliver()
      at += 300 * secondMs
      await service.aliveUntil(at)
      const downtimes = await listDowntimes(database.kysely, from)
      const { moves } = tellHeartbeat(waitingForFirstPing, {
        timing,
        downtimes,
        pings: sent,
        until: at - 250,
      })
      const expected = moves.map((move) => `${move.state} ${(move.at - from) / secondMs}`)
      expect(await storyOf(database, checkId, from)).toEqual(expected)
      const status = await database.kysely
        .selectFrom('checkStatuses')
        .select('hasFailures')
        .where('checkId', '=', checkId)
        .executeTakeFirst()
      const last = moves.at(-1)
      expect(status?.hasFailures).toBe(last ? Number(last.state === 'FAILING') : undefined)
      await database.kysely.deleteFrom('heartbeats').where('checkId', '=', checkId).execute()
    }
    await fc.assert(fc.asyncProperty(steps, story), { numRuns: engine === 'sqlite' ? 60 : 5 })
  }, 180_000)

  test('a failure that we only believed in is undone by a ping that another took in time', async () => {
    const database = await open()
    const { token, checkId } = await addHeartbeat(database, await addAccount(database))
    const service = await openService(database)
    await service.take(pingAt(token, t0))
    await service.aliveUntil(t0 + 121 * secondMs)
    expect(await storyOf(database, checkId, t0)).toEqual(['RECEIVED 0', 'FAILING 120'])
    await service.take(pingAt(token, t0 + 101 * secondMs))
    expect(await storyOf(database, checkId, t0)).toEqual(['RECEIVED 0', 'RECEIVED 101'])
    await service.aliveUntil(t0 + 222 * secondMs)
    expect((await storyOf(database, checkId, t0)).at(-1)).toBe('FAILING 221')
  })

  test('two servers fail each heartbeat once', async () => {
    const database = await open()
    const accountId = await addAccount(database)
    const clock = manualClock()
    clock.ms = t0
    const rows: Schema['heartbeats'][] = []
    for (let index = 0; index < 60; index += 1) {
      rows.push(await addHeartbeat(database, accountId, { anchorAt: t0, deadlineAt: t0 + 120_000 }))
    }
    const turns = [new OwnDowntime(null), new OwnDowntime(null)].map((downtime) =>
      overdueTurns({ database, clock, downtime }),
    )
    while (clock.ms < t0 + 122 * secondMs) {
      const waits = await Promise.all(turns.map((turn) => turn()))
      clock.ms += Math.min(...waits)
    }
    for (const { checkId } of rows) expect(await storyOf(database, checkId, t0)).toEqual(['FAILING 120'])
    expect(await listDowntimes(database.kysely, 0)).toEqual([])
  })
})

test('a machine so busy that every turn comes late still looks at each second turn', async () => {
  const database = await openInMemory()
  const { checkId } = await addHeartbeat(database, await addAccount(database), {
    anchorAt: t0,
    deadlineAt: t0 + 120 * secondMs,
  })
  const clock = manualClock()
  clock.ms = t0
  const turn = overdueTurns({ database, clock, downtime: new OwnDowntime(null) })
  while (clock.ms < t0 + 125 * secondMs) clock.ms += (await turn()) + 400
  expect(await storyOf(database, checkId, t0)).toEqual(['FAILING 120'])
  expect(await listDowntimes(database.kysely, 0)).toEqual([])
})
