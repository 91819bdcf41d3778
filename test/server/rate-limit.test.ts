import Fastify from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { registerDocumentation } from '../../src/server/documentation/documentation.ts'
import type { App } from '../../src/server/http/app-type.ts'
import { limitRate } from '../../src/server/http/limit-rate.ts'
import { SharedRequestCounts } from '../../src/server/http/shared-request-counts.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

let service: Pick<TestService, 'close'>
afterEach(() => service.close())

async function start(overrides: Parameters<typeof startTestService>[0]): Promise<TestService> {
  const started = await startTestService(overrides)
  service = started
  return started
}

const codes = async (ask: () => Promise<{ statusCode: number }>, times: number) => {
  const seen: number[] = []
  for (let n = 0; n < times; n += 1) seen.push((await ask()).statusCode)
  return seen
}

test('a request counts whatever is wrong with it', async () => {
  const { api } = await start({ rateLimitAMinute: 2 })
  const faulty = () => api('POST', '/v1/snippets', { name: '' })
  expect(await codes(faulty, 3)).toEqual([400, 400, 429])
})

test('each key has its own limit, and so has whoever comes without one', async () => {
  const { api, app, addAccount } = await start({ rateLimitAMinute: 1 })
  const { apiKey } = await addAccount()
  const headers = { authorization: `Bearer ${apiKey}` }
  const other = () => app.inject({ method: 'GET', url: '/v1/accounts/me', headers })
  const nobody = () => app.inject({ method: 'GET', url: '/v1/locations' })
  expect(await codes(() => api('GET', '/v1/accounts/me'), 2)).toEqual([200, 429])
  expect(await codes(other, 2)).toEqual([200, 429])
  expect(await codes(nobody, 2)).toEqual([200, 429])
})

test('a net of IPv6 counts as one caller', async () => {
  const { app } = await start({ rateLimitAMinute: 1 })
  const from = (remoteAddress: string) => app.inject({ method: 'GET', url: '/v1/locations', remoteAddress })
  expect((await from('2001:db8::1')).statusCode).toBe(200)
  expect((await from('2001:db8::2')).statusCode).toBe(429)
  expect((await from('2001:db8:1::1')).statusCode).toBe(200)
})

const strangers = {
  'a key that opens nothing': '/v1/accounts/me',
  'an agent’s key that opens nothing': '/agent/v1/claims',
  'a route that does not exist': '/v1/no-such-thing',
  'a trigger that does not exist': '/checks/a/trigger/t',
}

test.each(Object.entries(strangers))(
  'whoever comes with %s is refused after as many requests as the limit, and no key is in its way',
  async (what, url) => {
    const { api, app } = await start({ rateLimitAMinute: 2 })
    const headers = { authorization: 'Bearer pk_a-key-that-opens-nothing' }
    const method = url.startsWith('/agent') ? 'POST' : 'GET'
    const ask = (remoteAddress: string) => app.inject({ method, url, headers, remoteAddress })
    const refused = what.includes('key') ? 401 : 404
    expect(await codes(() => ask('127.0.0.1'), 3)).toEqual([refused, refused, 429])
    const { headers: told, statusCode } = await ask('127.0.0.1')
    expect([statusCode, Number(told['retry-after'])]).toEqual([429, expect.closeTo(30, -2)])
    expect((await ask('192.0.2.1')).statusCode).toBe(refused)
    expect((await api('GET', '/v1/accounts/me')).statusCode).toBe(200)
  },
)

test('tokens that are tried one after another count together', async () => {
  const { app } = await start({ rateLimitAMinute: 3 })
  const tokens = ['a', 'b', 'c', 'd'].values()
  const ask = () => app.inject({ method: 'POST', url: `/checks/a/trigger/${tokens.next().value}` })
  expect(await codes(ask, 4)).toEqual([404, 404, 404, 429])
})

test('an address that a proxy names counts where the proxy is trusted, and nowhere else', async () => {
  const ask = ({ app }: TestService, forwarded: string) =>
    app.inject({ url: '/v1/locations', headers: { 'x-forwarded-for': forwarded } })
  const trusting = await start({ rateLimitAMinute: 1, trustedProxies: ['127.0.0.1', '10.0.0.0/8'] })
  expect((await ask(trusting, '192.0.2.1, 10.0.0.7')).statusCode).toBe(200)
  expect((await ask(trusting, '192.0.2.2, 10.0.0.7')).statusCode).toBe(200)
  // What comes before the address that a trusted proxy names is hearsay.
  expect((await ask(trusting, '192.0.2.3, 192.0.2.2')).statusCode).toBe(429)
  await trusting.close()
  const wary = await start({ rateLimitAMinute: 1 })
  expect((await ask(wary, '192.0.2.1')).statusCode).toBe(200)
  expect((await ask(wary, '192.0.2.2')).statusCode).toBe(429)
})

test('an agent is never limited', async () => {
  const { agent } = await start({ rateLimitAMinute: 1 })
  expect(await codes(() => agent('leases', { agentId: 'a', runIds: [] }), 3)).not.toContain(429)
})

test('an answer within the limit says how much is left', async () => {
  const { api } = await start({ rateLimitAMinute: 3 })
  await api('GET', '/v1/accounts/me')
  expect((await api('GET', '/v1/accounts/me')).headers).toMatchObject({
    'x-ratelimit-limit': '3',
    'x-ratelimit-remaining': '1',
  })
})

test.each(['by itself', 'together with others'])(
  'a route may have a limit of its own, counted apart and described: a server that counts %s',
  async (how) => {
    const storage = { add: async () => [], deleteBefore: async () => {} }
    const clock = { now: () => 1_772_366_400_000, monotonicMs: () => 0 }
    const counts = new SharedRequestCounts({ storage, clock, onError: () => {} })
    const app: App = Fastify()
    service = { close: () => Promise.all([app.close(), counts.close()]).then(() => {}) }
    await registerDocumentation(app, '0')
    await limitRate(app, { max: 3, ...(how !== 'by itself' && { shared: counts }) })
    app.get('/rare', { config: { rateLimit: { max: 1 } }, schema: {} }, () => 'rare')
    app.get('/often', () => 'often')
    const get = (url: string) => app.inject({ method: 'GET', url })
    expect(await codes(() => get('/rare'), 2)).toEqual([200, 429])
    expect(await codes(() => get('/often'), 4)).toEqual([200, 200, 200, 429])
    expect(app.swagger().paths?.['/rare']).toMatchObject({
      get: { description: 'Rate limit: 1 requests in 60 seconds.' },
    })
  },
)

test.each([
  ['/v1/analytics/api-checks/none?metrics=availability', 30, 60],
  ['/v1/alert-notifications', 5, 10],
])('%s has a limit of its own, which the description tells', async (url, most, seconds) => {
  const { api, app } = await start({ rateLimitAMinute: 600 })
  const seen = await codes(() => api('GET', url), most + 1)
  expect(seen).toEqual([...Array(most).fill(url.includes('none') ? 404 : 200), 429])
  const refused = await api('GET', url)
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(seconds)
  expect(refused.json()).toMatchObject({ statusCode: 429, error: 'Too Many Requests' })
  expect((await api('GET', '/v1/accounts/me')).statusCode).toBe(200)
  const path = url.replace('none', '{id}').split('?', 1)[0] ?? ''
  const description = `Rate limit: ${most} requests in ${seconds} seconds.`
  expect(app.swagger().paths?.[path]).toMatchObject({ get: { description } })
})

test('the own limits of routes go up with what a key may do', async () => {
  const { api } = await start({ rateLimitAMinute: 1200 })
  const seen = await codes(() => api('GET', '/v1/alert-notifications'), 11)
  expect(seen).toEqual([...Array(10).fill(200), 429])
})
