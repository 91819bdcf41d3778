import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Agent, request as ask } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeDataDir } from '../../support/data-dir.ts'
import { dueRun } from '../../support/due-run.ts'
import { logLevel } from '../../support/log-lines.ts'
import { pingsOf } from '../../support/ping-agent.ts'
import { startFakeService, startTestAgent } from '../../support/test-agent.ts'

const token = '0a1b2c3d-0000-4000-8000-00000000000a'
const other = '0a1b2c3e-0000-4000-8000-00000000000b'

async function setUp(env: Readonly<Record<string, string>> = {}) {
  const service = await startFakeService()
  const started = await startTestAgent({
    service,
    env: { AGENT_PING_PORT: '0', AGENT_PING_HOST: '127.0.0.1', ...env },
  })
  const url = `http://127.0.0.1:${started.agent.pingPort}/heartbeats/ping/`
  return { ...started, url, ping: (path: string, init: RequestInit = {}) => fetch(url + path, init) }
}

/** The records of a file of pings that nobody uses. */
function countOnDisk(dataDir: string): number {
  const file = new DatabaseSync(join(dataDir, 'pings.db'), { readOnly: true })
  const row = file.prepare('SELECT count(*) AS count FROM records').get()
  file.close()
  return Number(row?.['count'])
}

describe('an agent that takes pings', () => {
  test('forwards what a job said, by whom, and when it came', async () => {
    const { service, ping } = await setUp()
    const headers = { origin: 'https://jobs.example', referer: 'https://x.example', 'user-agent': 'curl/8' }
    const answer = await ping(`${token}/3?a=b`, { method: 'POST', headers, body: 'disk is full' })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('OK')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const [relayed] = await pingsOf(service, 1)
    expect(relayed?.ping).toMatchObject({
      token,
      kind: 'fail',
      exitCode: 3,
      source: 'https://jobs.example',
      userAgent: 'curl/8',
      body: 'disk is full',
    })
  })

  test("tells when a ping came by the service's clock, as soon as it knows that", async () => {
    const { service, ping } = await setUp()
    service.clockAheadMs = 3_600_000
    await ping(token)
    await pingsOf(service, 1)
    const before = service.now()
    await vi.waitFor(async () => {
      await ping(other)
      const told = service.pings.find((relayed) => relayed.ping.token === other && relayed.ping.at !== null)
      // The service's answer was on its way for a moment.
      expect(told?.ping.at).toBeGreaterThan(before - 1000)
      expect(told?.ping.at).toBeLessThanOrEqual(service.now())
    }, 5000)
  })

  test.each(['GET', 'POST', 'HEAD'])(
    'takes %s, and the case of the token does not matter',
    async (method) => {
      const { service, ping } = await setUp()
      expect((await ping(token.toUpperCase(), { method })).status).toBe(200)
      expect(await pingsOf(service, 1)).toMatchObject([
        { ping: { token, kind: 'success', exitCode: null, body: null } },
      ])
    },
  )

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('does not take %s', async (method) => {
    const { ping, health } = await setUp()
    const answer = await ping(token, { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, POST, HEAD')
    expect((await health('/metrics')).text).toContain('picket_pings_taken_total 0')
  })

  test.each(['no-token', `${token}/256`, `${token}/success`, `${token}/0/0`, '', `${token}/`])(
    'has nothing at %s',
    async (path) => {
      const { ping, health } = await setUp()
      expect((await ping(path)).status).toBe(404)
      expect((await health('/metrics')).text).toContain('picket_pings_taken_total 0')
    },
  )

  test('keeps the first 10,000 bytes of a body of any size', async () => {
    const { service, ping } = await setUp()
    const body = `a${'ä'.repeat(2 * 1024 * 1024)}`
    expect((await ping(token, { method: 'POST', body })).status).toBe(200)
    const [relayed] = await pingsOf(service, 1)
    expect(relayed?.ping.body).toBe(`a${'ä'.repeat(4999)}`)
  })

  test('takes pings in their order while the service is away, says how old they are, and forwards them once', async () => {
    const { service, ping, health } = await setUp()
    await service.close()
    const from = performance.now()
    for (const signal of ['start', '0', 'fail', '255'])
      expect((await ping(`${token}/${signal}`)).status).toBe(200)
    expect((await health('/metrics')).text).toContain('picket_pings_unsent 4')
    await service.listen()
    const relayed = await pingsOf(service, 4)
    const passedMs = performance.now() - from
    expect(relayed.map(({ ping: { kind } }) => kind)).toEqual(['start', 'success', 'fail', 'fail'])
    for (const { ageMs } of relayed) expect(ageMs).toBeLessThanOrEqual(passedMs)
    await vi.waitFor(async () => {
      const { text } = await health('/metrics')
      expect(text).toContain('picket_pings_taken_total 4')
      expect(text).toContain('picket_pings_forwarded_total 4')
      expect(text).toContain('picket_pings_unsent 0')
    })
  })

  test('results and pings do not wait for each other where the service takes only one of them', async () => {
    const { service, ping, log } = await setUp()
    service.faults.set('pings', 404)
    expect((await ping(token)).status).toBe(200)
    await vi.waitFor(() => expect(log.some(({ what }) => what === 'forwarding pings')).toBe(true))
    expect(service.pings).toEqual([])
    service.faults.delete('pings')
    expect(await pingsOf(service, 1)).toHaveLength(1)
  })

  test('drops the pings of a token that the service does not know, says so once, and answers 404 then', async () => {
    const { service, ping, health, log } = await setUp()
    service.refusePing = (taken) => (taken.token === token ? 'unknown-token' : null)
    await Promise.all([ping(token), ping(token), ping(other)])
    expect(await pingsOf(service, 1)).toMatchObject([{ ping: { token: other } }])
    await vi.waitFor(async () => {
      const { text } = await health('/metrics')
      expect(text).toContain('picket_pings_dropped_total{reason="unknown-token"} 2')
      expect(text).toContain('picket_pings_unsent 0')
    })
    expect((await ping(token)).status).toBe(404)
    expect((await ping(other)).status).toBe(200)
    const said = log.filter(({ msg }) => String(msg).includes('no heartbeat of a token'))
    expect(said).toMatchObject([{ level: logLevel.warn, token: '0a1b2c3d…' }])
    expect(JSON.stringify(log)).not.toContain(token)
  })

  test('answers 503 when the disk takes nothing, and 200 when it does again', async () => {
    const dataDir = await makeDataDir()
    const first = await setUp({ PICKET_DATA_DIR: dataDir })
    await first.agent.drain()
    const file = new DatabaseSync(join(dataDir, 'pings.db'))
    file.exec(
      `CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    )
    file.close()
    const second = await setUp({ PICKET_DATA_DIR: dataDir })
    const refused = await second.ping(token)
    expect(refused.status).toBe(503)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await second.agent.drain()
    expect(countOnDisk(dataDir)).toBe(0)
    const again = new DatabaseSync(join(dataDir, 'pings.db'))
    again.exec('DROP TRIGGER full')
    again.close()
    const third = await setUp({ PICKET_DATA_DIR: dataDir })
    expect((await third.ping(token)).status).toBe(200)
    expect(await pingsOf(third.service, 1)).toHaveLength(1)
  })

  test('takes 6,000 pings a minute of one token, and tells the next to wait', async () => {
    const { url } = await setUp()
    const dispatcher = new Agent({ connections: 16, pipelining: 10 })
    onTestFinished(() => dispatcher.close())
    const answers = await Promise.all(
      Array.from({ length: 6010 }, async () => {
        const { statusCode, headers, body } = await ask(url + token, { dispatcher })
        await body.dump()
        return { statusCode, wait: Number(headers['retry-after'] ?? 0) }
      }),
    )
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect(refused).toHaveLength(10)
    for (const { wait } of refused) expect(wait).toBeGreaterThan(0)
    expect(answers.filter(({ statusCode }) => statusCode !== 429 && statusCode !== 200)).toEqual([])
  })

  test('goes on when a client breaks off, and takes what it said until then', async () => {
    const { service, agent } = await setUp()
    const socket = connect(agent.pingPort ?? 0, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `POST /heartbeats/ping/${token} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf a word`,
    )
    await new Promise<void>((resolve) => socket.end(() => resolve()))
    socket.destroy()
    expect(await pingsOf(service, 1)).toMatchObject([{ ping: { token } }])
  })

  test('is not ready while it drains, takes pings until its checks are over, and forwards them', async () => {
    const gate = Promise.withResolvers<void>()
    const service = await startFakeService()
    const started = await startTestAgent({
      service,
      env: { AGENT_PING_PORT: '0', AGENT_PING_HOST: '127.0.0.1' },
      runCheck: async () => {
        await gate.promise
        throw new Error('over')
      },
    })
    service.enqueue(dueRun())
    await vi.waitFor(async () =>
      expect(JSON.parse((await started.health('/health')).text).queue.running).toBe(1),
    )
    const url = `http://127.0.0.1:${started.agent.pingPort}/heartbeats/ping/${token}`
    const drained = started.agent.drain()
    expect((await started.health('/-/readiness')).status).toBe(503)
    expect((await fetch(url)).status).toBe(200)
    gate.resolve()
    await drained
    expect(service.pings).toMatchObject([{ ping: { token } }])
    await expect(fetch(url)).rejects.toThrow()
  })

  test('forwards what it took last before it is gone', async () => {
    const { service, agent, ping } = await setUp()
    await vi.waitFor(() => expect(service.claims.length).toBeGreaterThan(0))
    expect((await ping(token)).status).toBe(200)
    await agent.drain()
    expect(service.pings).toMatchObject([{ ping: { token } }])
  })

  test('keeps what it could not forward for its next start, also when that takes no pings', async () => {
    const dataDir = await makeDataDir()
    const first = await setUp({ PICKET_DATA_DIR: dataDir })
    await first.service.close()
    expect((await first.ping(token)).status).toBe(200)
    first.agent.skipGrace()
    await first.agent.drain()
    expect(countOnDisk(dataDir)).toBe(1)
    const service = await startFakeService()
    const { agent } = await startTestAgent({ service, env: { PICKET_DATA_DIR: dataDir } })
    expect(agent.pingPort).toBeNull()
    expect(await pingsOf(service, 1)).toMatchObject([{ ping: { token } }])
  })
})

test('an agent takes no pings unless it is told to', async () => {
  const { agent } = await startTestAgent()
  expect(agent.pingPort).toBeNull()
})

test('an agent whose port for pings is in use does not start, and names the setting', async () => {
  const { agent } = await setUp()
  await expect(setUp({ AGENT_PING_PORT: String(agent.pingPort) })).rejects.toMatchObject({
    code: 'PING_PORT_IN_USE',
    message: expect.stringContaining('AGENT_PING_PORT'),
  })
})
