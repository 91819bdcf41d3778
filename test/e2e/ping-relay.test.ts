import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import type { CheckStatusResource } from '../../src/contract/resources/check-status.ts'
import type { HeartbeatEvent } from '../../src/contract/resources/heartbeat-event.ts'
import type { HealthReport } from '../../src/health/health-server.ts'
import { emptyDatabaseUrl } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { type PicketProcess, startPicket } from '../support/picket-process.ts'
import { temporaryDataDir } from '../support/up.ts'

const apiKey = 'pk_a-key-that-the-tests-know'
const agentKey = 'pl_a-key-that-the-tests-know'
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (let step = undo.pop(); step; step = undo.pop()) await step()
})

async function kill(process: PicketProcess): Promise<void> {
  process.signal('SIGKILL')
  await process.exit()
}

/** A network that lets through what it did not. */
async function openWay(from: number, to: number): Promise<void> {
  const way = createServer((socket) => {
    const beyond = connect(to, '127.0.0.1')
    for (const end of [socket, beyond]) end.on('error', () => {})
    socket.pipe(beyond).pipe(socket)
  }).listen(from, '127.0.0.1')
  await once(way, 'listening')
  undo.push(() => way.close())
}

/** What is needed to start a service and an agent again and again: the same port, database and data folder. */
async function setUp() {
  const databaseUrl = await emptyDatabaseUrl('sqlite')
  const { dir, remove } = await temporaryDataDir()
  undo.push(remove)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const begin = (process: PicketProcess) => {
    undo.push(() => kill(process))
    return process
  }
  const startServer = async () => {
    const server = begin(
      startPicket(['server'], {
        PICKET_DATABASE_URL: databaseUrl,
        PICKET_PORT: String(port),
        PICKET_API_KEY: apiKey,
        PICKET_EMBEDDED_AGENT_KEY: agentKey,
        PICKET_SECRET_KEY: 'the key that seals secrets in tests',
      }),
    )
    await server.logged('the service is ready')
    return server
  }
  const startAgent = async (apiUrl = url) => {
    const agent = begin(
      startPicket(['agent'], {
        API_URL: apiUrl,
        API_KEY: agentKey,
        AGENT_HEALTH_PORT: '0',
        AGENT_HEALTH_HOST: '127.0.0.1',
        AGENT_PING_PORT: '0',
        AGENT_PING_HOST: '127.0.0.1',
        PICKET_DATA_DIR: dir,
        EXTERNAL_OBSERVABILITY: 'off',
      }),
    )
    const { pingPort } = await agent.logged('pings are taken')
    const { healthPort } = await agent.logged('the agent is ready')
    const get = (port: unknown, path: string) => fetch(`http://127.0.0.1:${port}${path}`)
    return {
      agent,
      ping: (path: string) => get(pingPort, path),
      // Our own agent says what its own type says.
      health: async () => (await (await get(healthPort, '/health')).json()) as HealthReport,
    }
  }
  return { url, startServer, startAgent }
}

async function call<T>(url: string, method = 'GET', body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  // What the service sends is what its own schemas let through.
  return (await response.json()) as T
}

interface Heartbeat {
  readonly id: string
  /** Below whatever origin. */
  readonly path: string
}

async function makeHeartbeat(url: string, period: number): Promise<Heartbeat> {
  const made = await call<{ id: string; heartbeat: { pingUrl: string } }>(
    `${url}/v1/checks/heartbeat`,
    'POST',
    {
      name: 'Backup',
      script: '',
      heartbeat: { period, periodUnit: 'seconds', grace: 0, graceUnit: 'seconds' },
    },
  )
  return { id: made.id, path: new URL(made.heartbeat.pingUrl).pathname }
}

/** Oldest first. */
async function eventsOf(url: string, id: string): Promise<HeartbeatEvent[]> {
  const [list] = await call<[{ events: HeartbeatEvent[] }]>(`${url}/v1/checks/heartbeats/${id}/events`)
  return list.events.toReversed()
}

/** The instants before and after a ping that was answered with 200. */
async function pingBetween(ping: () => Promise<Response>): Promise<readonly [number, number]> {
  const before = Date.now()
  const { status } = await ping()
  expect(status).toBe(200)
  return [before, Date.now()]
}

/** The clocks of two processes of one machine agree, as far as an answer's way takes. */
const clockMs = 250

test('pings that an agent took while the service was dead count as of when they came', async () => {
  const { url, startServer, startAgent } = await setUp()
  const server = await startServer()
  const heartbeat = await makeHeartbeat(url, 30)
  const { ping, health } = await startAgent()
  // It knows the service's clock.
  await vi.waitFor(async () => expect((await health()).lastPollAt).not.toBeNull(), 15_000)
  const first = await pingBetween(() => ping(heartbeat.path))
  await vi.waitFor(async () => expect(await eventsOf(url, heartbeat.id)).toHaveLength(1), 10_000)
  await kill(server)
  const times = [first]
  // Those that come within a second are one event.
  for (const signal of ['/0', '/7', '']) {
    await new Promise((resolve) => setTimeout(resolve, 1100))
    times.push(await pingBetween(() => ping(heartbeat.path + signal)))
  }

  await startServer()
  const events = await vi.waitFor(async () => {
    const now = await eventsOf(url, heartbeat.id)
    expect(now).toHaveLength(4)
    return now
  }, 20_000)
  expect(events.map(({ state, exitCode }) => [state === 'FAILING', exitCode])).toEqual([
    [false, null],
    [false, 0],
    [true, 7],
    [false, null],
  ])
  for (const [index, { timestamp }] of events.entries()) {
    const [before = 0, after = 0] = times[index] ?? []
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before - clockMs)
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(after + clockMs)
  }
  const status = await call<CheckStatusResource>(`${url}/v1/check-statuses/${heartbeat.id}`)
  expect(status.hasFailures).toBe(false)
})

test('a failure that was only the service not hearing of a job is taken back', async () => {
  const { url, startServer, startAgent } = await setUp()
  await startServer()
  const heartbeat = await makeHeartbeat(url, 30)
  const wayPort = await freePort()
  const { ping } = await startAgent(`http://127.0.0.1:${wayPort}`)
  expect((await fetch(url + heartbeat.path)).status).toBe(200)
  // Late in the period, the shortest there is, by the clocks of two real processes: the deadline after it is then far.
  await new Promise((resolve) => setTimeout(resolve, 25_000))
  const [before, after] = await pingBetween(() => ping(heartbeat.path))
  const states = async () => (await eventsOf(url, heartbeat.id)).map(({ state }) => state)
  await vi.waitFor(async () => expect(await states()).toEqual(['RECEIVED', 'FAILING']), 15_000)

  await openWay(wayPort, Number(new URL(url).port))
  await vi.waitFor(async () => expect(await states()).toEqual(['RECEIVED', 'EARLY']), 15_000)
  const at = Date.parse((await eventsOf(url, heartbeat.id))[1]?.timestamp ?? '')
  expect(at).toBeGreaterThanOrEqual(before - clockMs)
  expect(at).toBeLessThanOrEqual(after + clockMs)
})

test('no ping that an agent answered with 200 is lost when it is killed at once', async () => {
  const { url, startServer, startAgent } = await setUp()
  const server = await startServer()
  const heartbeats = await Promise.all(Array.from({ length: 20 }, () => makeHeartbeat(url, 86_400)))
  await kill(server)
  // It has never heard of the service's clock.
  const { agent, ping } = await startAgent()
  const from = Date.now()
  await Promise.all(heartbeats.map(({ path }) => pingBetween(() => ping(path))))
  await kill(agent)

  await startServer()
  await startAgent()
  for (const { id } of heartbeats) {
    const [event] = await vi.waitFor(async () => {
      const events = await eventsOf(url, id)
      expect(events).toMatchObject([{ state: 'RECEIVED', pings: 1 }])
      return events
    }, 15_000)
    const at = Date.parse(event?.timestamp ?? '')
    expect(at).toBeGreaterThanOrEqual(from - clockMs)
    // Nobody knows how long no agent was there: its pings count as of later, never as of earlier.
    expect(at).toBeLessThanOrEqual(Date.now() + clockMs)
  }
})
