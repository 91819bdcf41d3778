import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type HeartbeatService,
  minuteMs,
  secondMs,
  startHeartbeatService,
} from '../support/heartbeat-service.ts'

let service: HeartbeatService
beforeEach(async () => {
  service = await startHeartbeatService()
})
afterEach(() => service.close())

describe('a ping', () => {
  test.each(['GET', 'POST', 'HEAD'] as const)('counts by %s', async (method) => {
    const { id, token } = await service.heartbeat()
    const answer = await service.ping(token, { method })
    expect(answer.statusCode).toBe(200)
    expect(await service.states(id)).toEqual(['RECEIVED'])
  })

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const)('does not count by %s', async (method) => {
    const { id, token } = await service.heartbeat()
    const answer = await service.ping(token, { method })
    expect(answer.statusCode).toBe(405)
    expect(answer.headers['allow']).toBe('GET, POST, HEAD')
    expect(answer.json()).toMatchObject({ statusCode: 405, error: 'Method Not Allowed' })
    expect(await service.states(id)).toEqual([])
  })

  test('needs no key and no account: the token is all', async () => {
    const { token } = await service.heartbeat()
    const { heartbeat } = (await service.api('GET', '/v1/checks?checkType=HEARTBEAT')).json()[0]
    expect(new URL(heartbeat.pingUrl).pathname).toBe(`/heartbeats/ping/${token}`)
    const answer = await service.app.inject({ method: 'GET', url: new URL(heartbeat.pingUrl).pathname })
    expect(answer.body).toBe('OK')
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test.each(['00000000-0000-4000-8000-000000000000', 'no-token', "x' or 1=1"])(
    'of an unknown token is answered 404: %s',
    async (token) => {
      await service.heartbeat()
      expect((await service.ping(token)).statusCode).toBe(404)
    },
  )

  test('counts whatever the case of its token', async () => {
    const { id, token } = await service.heartbeat()
    expect((await service.ping(token.toUpperCase())).statusCode).toBe(200)
    expect(await service.states(id)).toEqual(['RECEIVED'])
  })

  test('keeps its source, the origin before the referer, and its user agent', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token, {
      headers: { referer: 'https://jobs.example/nightly', 'user-agent': 'curl/8' },
    })
    service.clock.advance(10 * minuteMs)
    const headers = {
      origin: 'https://jobs.example',
      referer: 'https://jobs.example/x',
      'user-agent': 'Wget/1',
    }
    await service.ping(token, { headers })
    expect(await service.events(id)).toMatchObject([
      { source: 'https://jobs.example/nightly', userAgent: 'curl/8' },
      { source: 'https://jobs.example', userAgent: 'Wget/1' },
    ])
  })

  test('of a link preview is answered, and does not count', async () => {
    const { id, token } = await service.heartbeat()
    const headers = { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }
    expect((await service.ping(token, { headers })).statusCode).toBe(200)
    expect(await service.states(id)).toEqual([])
  })

  const bodies: readonly (readonly [string, Record<string, string>, string | Buffer, string | null])[] = [
    ['a log', { 'content-type': 'text/plain' }, 'done', 'done'],
    ['no type', {}, 'done', 'done'],
    ['JSON that is none', { 'content-type': 'application/json' }, '{"a":', '{"a":'],
    ['a type that is none', { 'content-type': '///' }, 'done', 'done'],
    ['bytes that are no text', { 'content-type': 'x/y' }, Buffer.from([0x61, 0xff, 0x00, 0x62]), 'a\uFFFDb'],
    ['nothing', { 'content-type': 'application/json' }, '', null],
  ]
  test.each(bodies)('counts with a body of %s', async (_what, headers, payload, kept) => {
    const { id, token } = await service.heartbeat()
    expect((await service.ping(token, { method: 'POST', headers, payload })).statusCode).toBe(200)
    expect(await service.events(id)).toMatchObject([{ state: 'RECEIVED', body: kept }])
  })

  test('counts with a body of any size, of which the first 10,000 bytes are kept', async () => {
    const { id, token } = await service.heartbeat()
    const payload = `a${'ä'.repeat(4 * 1024 * 1024)}`
    const headers = { 'content-type': 'text/plain' }
    expect((await service.ping(token, { method: 'POST', headers, payload })).statusCode).toBe(200)
    const [event] = await service.events(id)
    expect(event?.body).toBe(`a${'ä'.repeat(4999)}`)
  })

  test('is one of 6,000 a minute for each token, and the next is told to wait', async () => {
    const { id, token } = await service.heartbeat()
    const other = await service.heartbeat()
    await Promise.all(Array.from({ length: 6000 }, () => service.ping(token)))
    const refused = await service.ping(token)
    expect(refused.statusCode).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await service.ping(other.token)).statusCode).toBe(200)
    expect((await service.events(id)).reduce((sum, { pings }) => sum + pings, 0)).toBe(6000)
  }, 30_000)
})

describe('a job', () => {
  test('that says when it began is timed', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token, { says: 'start' })
    expect(await service.states(id)).toEqual([])
    service.clock.advance(90 * secondMs)
    await service.ping(token)
    service.clock.advance(10 * minuteMs)
    await service.ping(token)
    expect(await service.events(id)).toMatchObject([
      { state: 'RECEIVED', durationMs: 90_000 },
      { state: 'RECEIVED', durationMs: null },
    ])
  })

  test('that only begins fails when it does not end', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await service.pass(10 * minuteMs)
    await service.ping(token, { says: 'start' })
    await service.pass(3 * minuteMs)
    expect(await service.states(id)).toEqual(['RECEIVED', 'FAILING'])
  })

  test.each([
    ['fail', null],
    ['1', 1],
    ['255', 255],
  ])('that signals %s fails at once', async (signal, exitCode) => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    service.clock.advance(secondMs)
    const headers = { 'content-type': 'text/plain' }
    await service.ping(token, { says: signal, method: 'POST', headers, payload: 'disk is full' })
    expect(await service.events(id)).toMatchObject([
      { state: 'RECEIVED' },
      { state: 'FAILING', exitCode, body: 'disk is full', pings: 1 },
    ])
    expect(await service.status(id)).toMatchObject({ hasFailures: true })
    service.clock.advance(10 * minuteMs)
    await service.ping(token, { says: '0' })
    expect((await service.events(id)).at(-1)).toMatchObject({ state: 'RECEIVED', exitCode: 0 })
    expect(await service.status(id)).toMatchObject({ hasFailures: false })
  })

  test.each(['256', '-1', '01x', 'log', 'success'])('cannot signal %s', async (signal) => {
    const { id, token } = await service.heartbeat()
    expect((await service.ping(token, { says: signal })).statusCode).toBe(404)
    expect(await service.states(id)).toEqual([])
  })
})

describe('a heartbeat', () => {
  test('that nobody pinged is not failing, and has no status', async () => {
    const { id } = await service.heartbeat()
    await service.pass(30 * minuteMs)
    expect(await service.states(id)).toEqual([])
    expect(await service.status(id)).toBeNull()
  })

  test('fails when period and grace have passed, to the second, and again with each period and grace', async () => {
    const { id, token } = await service.heartbeat()
    const start = service.clock.now()
    await service.ping(token)
    await service.pass(12 * minuteMs)
    expect(await service.status(id)).toMatchObject({ hasFailures: false })
    await service.pass(secondMs)
    expect(await service.status(id)).toMatchObject({ hasFailures: true, isDegraded: false, hasErrors: false })
    await service.pass(12 * minuteMs)
    const at = (minutes: number) => new Date(start + minutes * minuteMs).toISOString()
    expect(await service.events(id)).toMatchObject([
      { state: 'RECEIVED', timestamp: at(0), pings: 1 },
      { state: 'FAILING', timestamp: at(12), pings: 0, source: null, userAgent: null },
      { state: 'FAILING', timestamp: at(24), pings: 0 },
    ])
    await service.ping(token)
    expect((await service.states(id)).at(-1)).toBe('LATE')
    expect(await service.status(id)).toMatchObject({ hasFailures: false })
  })

  test('shows what became of each ping', async () => {
    const { id, token } = await service.heartbeat()
    for (const minutes of [0, 5, 10, 11]) {
      await service.pass(minutes * minuteMs)
      await service.ping(token)
    }
    expect(await service.states(id)).toEqual(['RECEIVED', 'EARLY', 'RECEIVED', 'GRACE'])
  })

  test('counts pings of one second as one event that says how many', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    for (const _ of Array.from({ length: 5 })) {
      service.clock.advance(100)
      await service.ping(token)
    }
    expect(await service.events(id)).toMatchObject([
      { state: 'RECEIVED', pings: 1 },
      { state: 'EARLY', pings: 5 },
    ])
  })

  const update = (id: string, changes: object) =>
    service.api('PUT', `/v1/checks/heartbeat/${id}`, { name: 'Backup', script: '', ...changes })

  test('that is deactivated expects nothing, and takes no ping to heart', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await update(id, { activated: false })
    await service.pass(15 * minuteMs)
    expect((await service.ping(token)).statusCode).toBe(200)
    expect(await service.states(id)).toEqual(['RECEIVED'])
  })

  test('that is activated again begins a period anew', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await update(id, { activated: false })
    await service.pass(60 * minuteMs)
    await update(id, { activated: true })
    await service.pass(12 * minuteMs)
    expect(await service.states(id)).toEqual(['RECEIVED'])
    await service.pass(secondMs)
    expect(await service.states(id)).toEqual(['RECEIVED', 'FAILING'])
  })

  test('with another period begins it anew, and with another grace goes on', async () => {
    const heartbeat = { period: 10, periodUnit: 'minutes', grace: 2, graceUnit: 'minutes' }
    const [one, other] = [await service.heartbeat(), await service.heartbeat()]
    await service.ping(one.token)
    await service.ping(other.token)
    await service.pass(5 * minuteMs)
    await update(one.id, { heartbeat: { ...heartbeat, period: 9 } })
    await update(other.id, { heartbeat: { ...heartbeat, grace: 1 } })
    await service.pass(6 * minuteMs + secondMs)
    expect(await service.states(one.id)).toEqual(['RECEIVED'])
    expect(await service.states(other.id)).toEqual(['RECEIVED', 'FAILING'])
    await service.pass(5 * minuteMs)
    expect(await service.states(one.id)).toEqual(['RECEIVED', 'FAILING'])
  })

  test('does not begin anew for an update that leaves it alone', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await service.pass(6 * minuteMs)
    await update(id, { name: 'Another name' })
    await service.pass(6 * minuteMs + secondMs)
    expect(await service.states(id)).toEqual(['RECEIVED', 'FAILING'])
  })

  test('is deactivated with its group, and activated with it', async () => {
    const group = { name: 'Jobs', locations: ['eu-west-1'], activated: true }
    const { id: groupId } = (await service.api('POST', '/v2/check-groups', group)).json()
    const { id, token } = await service.heartbeat({ groupId })
    await service.ping(token)
    await service.api('PUT', `/v2/check-groups/${groupId}`, { ...group, activated: false })
    await service.pass(15 * minuteMs)
    expect(await service.states(id)).toEqual(['RECEIVED'])
    await service.api('PUT', `/v2/check-groups/${groupId}`, group)
    await service.pass(12 * minuteMs + secondMs)
    expect(await service.states(id)).toEqual(['RECEIVED', 'FAILING'])
  })

  test('that is deleted takes no ping any more', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await service.api('DELETE', `/v1/checks/${id}`)
    expect((await service.ping(token)).statusCode).toBe(404)
    expect(await service.database.kysely.selectFrom('heartbeatEvents').selectAll().execute()).toEqual([])
  })

  test('shares its token with another that was sent with it, and a ping is for both', async () => {
    const pingToken = '11111111-2222-4333-8444-555555555555'
    const heartbeat = { period: 1, periodUnit: 'days', grace: 0, graceUnit: 'days', pingToken }
    const [one, other] = [await service.heartbeat({ heartbeat }), await service.heartbeat({ heartbeat })]
    await service.ping(pingToken)
    expect(await service.states(one.id)).toEqual(['RECEIVED'])
    expect(await service.states(other.id)).toEqual(['RECEIVED'])
  })

  test('shares its token with no more than 20, and with none of another account', async () => {
    const { token } = await service.heartbeat()
    const heartbeat = { period: 1, periodUnit: 'days', grace: 0, graceUnit: 'days' }
    const create = async (pingToken: string, key = service.apiKey) => {
      const answer = await service.app.inject({
        method: 'POST',
        url: '/v1/checks/heartbeat',
        headers: { authorization: `Bearer ${key}` },
        payload: { name: 'Backup', script: '', heartbeat: { ...heartbeat, pingToken } },
      })
      return [answer.statusCode, answer.json().message]
    }
    const { apiKey } = await service.addAccount()
    const taken = [409, '"heartbeat.pingToken" is not free: leave it out, and one is made']
    expect(await create(token, apiKey)).toEqual(taken)
    expect(await create(token.toUpperCase(), apiKey)).toEqual(taken)
    for (let made = 1; made < 20; made += 1) expect((await create(token))[0]).toBe(201)
    expect(await create(token)).toEqual([
      409,
      '"heartbeat.pingToken" is shared by 20 heartbeats, the most there may be',
    ])
  })

  test('without a request has no runs, wherever it is placed', async () => {
    await service.heartbeat({ locations: ['eu-west-1'] })
    const rows = await service.database.kysely.selectFrom('checks').select('nextDueAt').execute()
    expect(rows).toEqual([{ nextDueAt: null }])
  })

  test('tells how available it was, wherever that is asked', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await service.pass(10 * minuteMs)
    await service.ping(token)
    await service.pass(13 * minuteMs)
    await service.ping(token)
    await service.pass(minuteMs)
    expect(await service.states(id)).toEqual(['RECEIVED', 'RECEIVED', 'FAILING', 'LATE'])
    const own = (await service.api('GET', `/v1/checks/heartbeats/${id}/availability`)).json()
    expect(own).toEqual({
      successRatio: { previousPeriod: 0, currentPeriod: 2 / 3 },
      totalEntitiesCurrentPeriod: 3,
    })
    const url = `/v1/analytics/heartbeat-checks/${id}?metrics=availability,retries`
    const { series } = (await service.api('GET', url)).json()
    expect(series).toEqual([{ data: [{ availability: 66.6667, retries: 0 }] }])
    const failing = (await service.api('GET', `${url}&filterByStatus=FAILING`)).json()
    expect(failing.series).toEqual([{ data: [{ availability: 0, retries: 0 }] }])
    const summary = await service.api('POST', '/v1/analytics/checks', { checkIds: [id] })
    expect(summary.json()).toEqual([{ checkId: id, checkType: 'HEARTBEAT', availability: 66.6667 }])
  })

  test('shows in its badge', async () => {
    const { id, token } = await service.heartbeat()
    const badge = async () => (await service.app.inject(`/v1/badges/checks/${id}`)).body
    expect(await badge()).toContain('unknown')
    await service.ping(token)
    expect(await badge()).toContain('passing')
    await service.pass(13 * minuteMs)
    expect(await badge()).toContain('failing')
  })
})

describe('our own downtime', () => {
  test('fails no heartbeat whose deadline fell into it: it has a period and a grace to be heard', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await service.pass(9 * minuteMs)
    await service.beDownFor(60 * minuteMs)
    await service.pass(11 * minuteMs)
    expect(await service.states(id)).toEqual(['RECEIVED'])
    await service.ping(token)
    expect(await service.states(id)).toEqual(['RECEIVED', 'GRACE'])
  })

  test('does not hide that a job stays silent', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await service.pass(11 * minuteMs)
    await service.beDownFor(60 * minuteMs)
    await service.pass(12 * minuteMs + 5 * secondMs)
    expect(await service.states(id)).toEqual(['RECEIVED', 'FAILING'])
  })

  test('does not delay the verdict where the next ping must come in time all the same', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await service.pass(minuteMs)
    await service.beDownFor(minuteMs)
    await service.pass(10 * minuteMs + secondMs)
    expect(await service.states(id)).toEqual(['RECEIVED', 'FAILING'])
  })

  test('fails nothing when a ping is the first to tell of it', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await service.pass(11 * minuteMs)
    service.clock.advance(60 * minuteMs)
    await service.ping(token)
    expect(await service.states(id)).toEqual(['RECEIVED', 'GRACE'])
  })

  test('counts a stall, too, in which the pings that came could not be taken', async () => {
    const { id, token } = await service.heartbeat()
    await service.ping(token)
    await service.pass(11 * minuteMs)
    service.clock.advance(4 * minuteMs)
    await service.pass(10 * minuteMs)
    expect(await service.states(id)).toEqual(['RECEIVED'])
  })
})
