import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Agent, request as ask } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import { pingsOf } from '../../support/ping-agent.ts'
import { startFakeService, startTestAgent } from '../../support/test-agent.ts'

const token = '0a1b2c3d-0000-4000-8000-00000000000a'

async function setUp() {
  const service = await startFakeService()
  const env = { AGENT_PING_PORT: '0', AGENT_PING_HOST: '127.0.0.1' }
  const started = await startTestAgent({ service, env })
  const port = started.agent.pingPort ?? 0
  const dispatcher = new Agent({ connections: 16, pipelining: 10 })
  onTestFinished(() => dispatcher.close())
  const ping = async (of: string, headers: Record<string, string> = {}) => {
    const answer = await ask(`http://127.0.0.1:${port}/heartbeats/ping/${of}`, { dispatcher, headers })
    await answer.body.dump()
    return answer.statusCode
  }
  return { ...started, port, ping }
}

test('tokens that the service has said nothing of may be pinged as often as one, all together', async () => {
  const { service, ping, health, log } = await setUp()
  service.refusePing = (taken) => (taken.token === token ? null : 'unknown-token')
  expect(await ping(token)).toBe(200)
  await pingsOf(service, 1)
  await vi.waitFor(async () =>
    expect((await health('/metrics')).text).toContain('picket_pings_forwarded_total 1'),
  )
  const answers = await Promise.all(Array.from({ length: 6010 }, () => ping(randomUUID())))
  expect(answers.filter((status) => status === 429).length).toBeGreaterThanOrEqual(10)
  // One that it took a ping of is not in their way.
  expect(await ping(token)).toBe(200)
  await vi.waitFor(async () => expect((await health('/metrics')).text).toContain('picket_pings_unsent 0'), {
    timeout: 30_000,
    interval: 200,
  })
  const said = log.filter(({ msg }) => String(msg).includes('no heartbeat of a token'))
  expect(said.length).toBe(60)
}, 60_000)

test('a token that the service takes a ping of after it refused one is taken at once', async () => {
  const { service, ping, health } = await setUp()
  const answers = ['unknown-token' as const]
  service.refusePing = () => answers.pop() ?? null
  expect(await Promise.all([ping(token), ping(token)])).toEqual([200, 200])
  await vi.waitFor(async () =>
    expect((await health('/metrics')).text).toContain('picket_pings_forwarded_total 1'),
  )
  expect(await ping(token)).toBe(200)
})

test('a link preview is answered, and takes no room', async () => {
  const { ping, health } = await setUp()
  expect(await ping(token, { 'user-agent': 'Slackbot-LinkExpanding 1.0' })).toBe(200)
  expect((await health('/metrics')).text).toContain('picket_pings_taken_total 0')
})

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  return socket
}

test('whoever opens connections and says nothing has 500 of them', async () => {
  const { port } = await setUp()
  const silent = await Promise.all(Array.from({ length: 500 }, () => opened(port)))
  onTestFinished(() => {
    for (const socket of silent) socket.destroy()
  })
  const oneMore = await opened(port)
  await once(oneMore.resume(), 'close')
  expect(silent.filter(({ destroyed }) => destroyed)).toEqual([])
  const [first] = silent
  first?.destroy()
  await vi.waitFor(async () => expect(await saidTo(port)).toContain('200 OK'))
})

/** What is answered to a ping of a new connection, until that ends. */
async function saidTo(port: number): Promise<string> {
  const socket = await opened(port)
  let said = ''
  socket.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  socket.write(`GET /heartbeats/ping/${token} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  if (!socket.closed) await once(socket, 'close')
  return said
}
