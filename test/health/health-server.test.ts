import { describe, expect, onTestFinished, test } from 'vitest'
import { type HealthOptions, type HealthReport, startHealthServer } from '../../src/health/health-server.ts'

const report: HealthReport = {
  status: 'ok',
  version: '1.2.3',
  uptimeSeconds: 7,
  queue: { running: 1, waiting: 2, held: 3, concurrency: 4 },
  outbox: { depth: 5, oldestAgeSeconds: 6 },
  away: { since: null, ownRuns: 0 },
  icmp: { way: 'raw-socket', advice: null },
  lastPollAt: '2026-04-30T00:00:00.000Z',
  lastPollError: null,
}

async function startHealth(options: Partial<HealthOptions> = {}) {
  const server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    ready: () => true,
    report: () => report,
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'picket_x 1\n' }),
    ...options,
  })
  onTestFinished(() => server.close())
  const request = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { server, request }
}

describe('the health endpoints', () => {
  test('are ready, or not, and alive all the same', async () => {
    let ready = true
    const { request } = await startHealth({ ready: () => ready })
    expect((await request('/-/readiness')).status).toBe(200)
    ready = false
    expect((await request('/-/readiness')).status).toBe(503)
    expect((await request('/-/liveness')).status).toBe(200)
  })

  test('tell how the agent is', async () => {
    const { request } = await startHealth()
    const { status, text } = await request('/health?pretty')
    expect(status).toBe(200)
    expect(JSON.parse(text)).toEqual(report)
  })

  test('give the metrics in the format of Prometheus', async () => {
    const { request } = await startHealth()
    const { headers, text } = await request('/metrics')
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4')
    expect(text).toBe('picket_x 1\n')
  })

  test('name what there is when something else is asked', async () => {
    const { request } = await startHealth()
    const missing = await request('/')
    expect(missing.status).toBe(404)
    const post = await request('/health', 'POST')
    expect(post.status).toBe(405)
    expect(post.headers.get('allow')).toBe('GET, HEAD')
    for (const { text } of [missing, post]) {
      expect(text).toContain('GET /-/readiness, GET /-/liveness, GET /health, GET /metrics')
    }
    expect(await request('/health', 'HEAD')).toMatchObject({ status: 200, text: '' })
  })

  test('answer 500 when the metrics cannot be read, and go on', async () => {
    const { request } = await startHealth({ metrics: () => Promise.reject(new Error('no')) })
    expect((await request('/metrics')).status).toBe(500)
    expect((await request('/-/liveness')).status).toBe(200)
  })

  test('say which port is in use and which setting names it', async () => {
    const { server } = await startHealth()
    await expect(startHealth({ port: server.port })).rejects.toMatchObject({
      code: 'HEALTH_PORT_IN_USE',
      message: `Port ${server.port} of the health endpoints is in use: set AGENT_HEALTH_PORT to a free one`,
    })
  })

  test('say which settings to look at when they cannot listen at all', async () => {
    await expect(startHealth({ host: '203.0.113.1' })).rejects.toMatchObject({
      code: 'HEALTH_ADDRESS_UNUSABLE',
    })
  })
})
