import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TakenPing } from '../../../src/contract/agent-pings.ts'
import { overdueTurns } from '../../../src/server/heartbeats/fail-overdue.ts'
import { OwnDowntime } from '../../../src/server/heartbeats/own-downtime.ts'
import { addHeartbeatEvents } from '../../../src/storage/heartbeat-pings.ts'
import { agentId } from '../../support/agent-messages.ts'
import {
  type HeartbeatService,
  minuteMs,
  secondMs,
  startHeartbeatService,
} from '../../support/heartbeat-service.ts'

let service: HeartbeatService
beforeEach(async () => {
  service = await startHeartbeatService()
})
afterEach(() => service.close())

const dayMs = 24 * 60 * minuteMs
const halfMinute = {
  heartbeat: { period: 30, periodUnit: 'seconds', grace: 0, graceUnit: 'seconds' },
}

const relayed = (token: string, at: number): { ageMs: number; ping: TakenPing } => ({
  ageMs: 0,
  ping: { token, at, kind: 'success', exitCode: null, source: null, userAgent: null, body: null },
})
const relay = (pings: readonly unknown[]) => service.agent('pings', { agentId, pings: [...pings] })

/** What is stored, whatever the API would show of it. */
const stored = () => service.database.kysely.selectFrom('heartbeatEvents').select(['pings', 'body']).execute()

async function fill(checkId: string, events: number, body: string | null = null): Promise<void> {
  const { accountId, clock, database } = service
  const from = clock.now() - events * secondMs
  const row = { accountId, checkId, state: 'EARLY' as const, source: null, userAgent: null }
  const rest = { pings: 1, durationMs: null, exitCode: null, body }
  const rows = Array.from({ length: events }, (_, index) => ({
    ...row,
    ...rest,
    id: `${checkId}${index}`,
    at: from + index * secondMs,
  }))
  await database.transaction((db) => addHeartbeatEvents(db, rows))
  await database.kysely
    .updateTable('heartbeats')
    .set({ anchorAt: clock.now() - 1, deadlineAt: clock.now() + 10 * minuteMs })
    .where('checkId', '=', checkId)
    .execute()
}

describe('whoever has a token', () => {
  test('has every ping counted, and of sixty a minute what they say kept', async () => {
    const { token } = await service.heartbeat()
    const payload = 'x'.repeat(20_000)
    for (let sent = 0; sent < 400; sent += 1) {
      const says = sent % 2 === 0 ? 'fail' : '0'
      expect((await service.ping(token, { says, method: 'POST', payload })).statusCode).toBe(200)
      service.clock.advance(10)
    }
    const events = await stored()
    expect(events.reduce((sum, { pings }) => sum + pings, 0)).toBe(400)
    expect(events.filter(({ body }) => body !== null)).toHaveLength(60)
    // In 4 s: one event a second and outcome besides.
    expect(events.length).toBeLessThanOrEqual(60 + 5 * 2)
    service.clock.advance(minuteMs)
    await service.ping(token, { method: 'POST', payload: 'a minute later' })
    expect((await stored()).filter(({ body }) => body === 'a minute later')).toHaveLength(1)
  })
})

describe('an agent that sends old pings', () => {
  test('keeps nobody waiting: so much is told in one turn, and of a silence of a month a hundred failures', async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => service.heartbeat(halfMinute)))
    const { database, clock } = service
    const turn = overdueTurns({ database, clock, downtime: new OwnDowntime(null) })
    const old = clock.now() - 30 * dayMs
    expect((await relay(made.map(({ token }) => relayed(token, old)))).statusCode).toBe(200)
    let known = (await stored()).length
    expect(known).toBe(40)
    for (let turns = 0; turns < 5; turns += 1) {
      await turn()
      const { length } = await stored()
      expect(length - known).toBeLessThanOrEqual(1100)
      known = length
    }
    // A first ping, a hundred failures and the last one of each.
    expect(known).toBe(40 * 102)
    const waiting = await database.kysely
      .selectFrom('heartbeats')
      .select('checkId')
      .where('deadlineAt', '<', clock.now() - secondMs)
      .execute()
    expect(waiting).toEqual([])
  })

  test('is told to send fewer at once where those of many heartbeats change more than half a second is for', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => service.heartbeat()))
    for (const { id } of made) await fill(id, 4000)
    const before = service.clock.now() - 4001 * secondMs
    const pings = made.map(({ token }) => relayed(token, before))
    expect((await relay(pings)).statusCode).toBe(413)
    expect(await stored()).toHaveLength(6 * 4000)
    for (const some of [pings.slice(0, 3), pings.slice(3)])
      expect((await relay(some)).json()).toMatchObject({ accepted: 3, refused: [] })
    expect(await stored()).toHaveLength(6 * 4001)
  }, 30_000)

  test('has a ping of one heartbeat taken, however much it changes', async () => {
    const { id, token } = await service.heartbeat()
    await fill(id, 4000, 'x'.repeat(10_000))
    expect((await relay([relayed(token, service.clock.now() - 4001 * secondMs)])).json()).toMatchObject({
      accepted: 1,
    })
    expect(await stored()).toHaveLength(4001)
  }, 30_000)

  test('has the newest of its pings count, also where the oldest of them lies too far back to be told again', async () => {
    const { id, token } = await service.heartbeat()
    await fill(id, 5001)
    const now = service.clock.now()
    const pings = [now - 5002 * secondMs, now].map((at) => relayed(token, at))
    expect((await relay(pings)).json()).toMatchObject({ accepted: 2, refused: [] })
    expect(await stored()).toHaveLength(5003)
    const { anchorAt } = await service.database.kysely
      .selectFrom('heartbeats')
      .select('anchorAt')
      .executeTakeFirstOrThrow()
    expect(anchorAt).toBe(now)
    // Their answer was lost.
    await relay(pings)
    const counts = (await stored()).map(({ pings: count }) => count)
    expect([counts.length, counts.filter((count) => count !== 1)]).toEqual([5003, []])
  }, 30_000)
})
