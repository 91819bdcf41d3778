import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PingsResponse, TakenPing } from '../../../src/contract/agent-pings.ts'
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

const nothing = { kind: 'success', exitCode: null, source: null, userAgent: null, body: null } as const

/** What an agent sends of a ping that came so long ago; `at` null says that it did not know our clock. */
const relayed = (token: string, agoMs: number, changes: Partial<TakenPing> = {}) => ({
  ageMs: agoMs,
  ping: { ...nothing, token, at: service.clock.now() - agoMs, ...changes },
})

async function relay(pings: readonly unknown[], key?: string): Promise<PingsResponse> {
  const answer = await service.agent('pings', { agentId, pings: [...pings] }, key)
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

/** `RECEIVED 0`: what became of it, and when, in minutes since the given instant. */
async function story(id: string, from: number): Promise<string[]> {
  const events = await service.events(id)
  return events.map(({ state, timestamp }) => `${state} ${(Date.parse(timestamp) - from) / minuteMs}`)
}

async function privateLocation(apiKey: string): Promise<string> {
  const slugName = 'closed-net'
  const made = await service.app.inject({
    method: 'POST',
    url: '/v1/private-locations',
    headers: { authorization: `Bearer ${apiKey}` },
    payload: { name: 'Closed net', slugName },
  })
  const { id } = made.json()
  const key = await service.app.inject({
    method: 'POST',
    url: `/v1/private-locations/${id}/keys`,
    headers: { authorization: `Bearer ${apiKey}` },
  })
  return key.json().rawKey
}

describe('a ping that an agent took', () => {
  test('counts as of when it came, with what the job said and who it was', async () => {
    const { id, token } = await service.heartbeat()
    const start = service.clock.now()
    await service.ping(token)
    await service.pass(11 * minuteMs)
    const said = {
      kind: 'fail',
      exitCode: 2,
      source: 'https://jobs.example',
      userAgent: 'curl/8',
      body: 'full',
    } as const
    expect(await relay([relayed(token, minuteMs, said)])).toMatchObject({ accepted: 1, refused: [] })
    expect(await story(id, start)).toEqual(['RECEIVED 0', 'FAILING 10'])
    const { kind: _, ...shown } = said
    expect((await service.events(id)).at(-1)).toMatchObject(shown)
  })

  test('counts by its age where the agent did not know our clock', async () => {
    const { id, token } = await service.heartbeat()
    const start = service.clock.now()
    await service.pass(5 * minuteMs)
    await relay([relayed(token, 3 * minuteMs, { at: null })])
    expect(await story(id, start)).toEqual(['RECEIVED 2'])
  })

  test('is no younger for what the way to us took, nor of a time to come', async () => {
    const { id, token } = await service.heartbeat()
    const start = service.clock.now()
    await service.pass(5 * minuteMs)
    const sent = { ...relayed(token, 3 * minuteMs, { at: null }), at: service.clock.now() - 3 * minuteMs }
    await service.pass(minuteMs)
    await relay([sent])
    await relay([{ ...relayed(token, 0, { at: null }), at: service.clock.now() + 60 * minuteMs }])
    expect(await story(id, start)).toEqual(['RECEIVED 2', 'EARLY 6'])
  })

  test('undoes a failure that was only our not knowing of it', async () => {
    const { id, token } = await service.heartbeat()
    const start = service.clock.now()
    await service.ping(token)
    await service.pass(13 * minuteMs)
    expect(await service.status(id)).toMatchObject({ hasFailures: true })
    await relay([relayed(token, 3 * minuteMs)])
    expect(await story(id, start)).toEqual(['RECEIVED 0', 'RECEIVED 10'])
    expect(await service.status(id)).toMatchObject({ hasFailures: false })
  })

  test('that came while we were down is told as of then, in order, and nothing fails', async () => {
    const { id, token } = await service.heartbeat()
    const start = service.clock.now()
    await service.ping(token)
    await service.pass(9 * minuteMs)
    await service.beDownFor(36 * minuteMs)
    await relay([relayed(token, 35 * minuteMs), relayed(token, 25 * minuteMs), relayed(token, 15 * minuteMs)])
    await service.pass(10 * secondMs)
    expect(await story(id, start)).toEqual(['RECEIVED 0', 'RECEIVED 10', 'RECEIVED 20', 'RECEIVED 30'])
    expect(await service.status(id)).toMatchObject({ hasFailures: false })
  })

  test('counts once however often it is sent', async () => {
    const { id, token } = await service.heartbeat()
    await service.pass(20 * minuteMs)
    const batch = [relayed(token, 15 * minuteMs), relayed(token, 5 * minuteMs, { kind: 'fail' })]
    await relay(batch)
    const once = await service.events(id)
    await relay(batch)
    await relay(batch.slice(1))
    expect(await service.events(id)).toEqual(once)
    expect(once.map(({ state }) => state)).toEqual(['RECEIVED', 'FAILING'])
  })

  test('of a link preview is taken, and does not count', async () => {
    const { id, token } = await service.heartbeat()
    const preview = relayed(token, 0, {
      userAgent: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    })
    expect(await relay([preview])).toMatchObject({ accepted: 1, refused: [] })
    expect(await service.states(id)).toEqual([])
  })

  test('that can never be taken is refused by its index, and keeps none of the others', async () => {
    const { id, token } = await service.heartbeat()
    const stranger = '00000000-0000-4000-8000-000000000000'
    const answer = await relay([
      { ageMs: 0, ping: { token } },
      relayed(stranger, 0),
      relayed(token, 32 * 24 * 60 * minuteMs),
      'nonsense',
      relayed(token, 0),
    ])
    expect(answer.accepted).toBe(1)
    expect(answer.refused.toSorted((a, b) => a.index - b.index)).toEqual([
      { index: 0, reason: 'invalid', token: null },
      { index: 1, reason: 'unknown-token', token: stranger },
      { index: 2, reason: 'too-old', token },
      { index: 3, reason: 'invalid', token: null },
    ])
    expect(await service.states(id)).toEqual(['RECEIVED'])
  })

  test('is of an account of which the agent of a private location must be', async () => {
    const { id, token } = await service.heartbeat()
    const other = await service.addAccount()
    const strangers = await privateLocation(other.apiKey)
    expect(await relay([relayed(token, 0)], strangers)).toMatchObject({
      accepted: 0,
      refused: [{ index: 0, reason: 'unknown-token' }],
    })
    expect(await service.states(id)).toEqual([])
    const own = await privateLocation(service.apiKey)
    expect(await relay([relayed(token, 0)], own)).toMatchObject({ accepted: 1 })
    expect(await service.states(id)).toEqual(['RECEIVED'])
  })

  test('needs the key of a location', async () => {
    const { token } = await service.heartbeat()
    const answer = await service.agent('pings', { agentId, pings: [relayed(token, 0)] }, 'pl_no-key')
    expect(answer.statusCode).toBe(401)
  })
})
