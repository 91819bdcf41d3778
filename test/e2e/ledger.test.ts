import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import type { LedgerAudit } from '../../src/contract/resources/ledger-audit.ts'
import { type Database, openDatabase } from '../../src/storage/database.ts'
import { apiCheckBody } from '../support/api-checks.ts'
import { emptyDatabaseUrl } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { type PicketProcess, startPicket } from '../support/picket-process.ts'
import { temporaryDataDir } from '../support/up.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (let step = undo.pop(); step; step = undo.pop()) await step()
})

function stoppedAtEnd(picket: PicketProcess): PicketProcess {
  undo.push(() => {
    picket.signal('SIGKILL')
    return picket.exit()
  })
  return picket
}

const slowMs = 15_000
const apiKey = 'pk_a-key-that-the-tests-know'
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

/** Answers at once, and what is under /slow after a while. */
async function startTarget(): Promise<string> {
  const target = createServer((request, response) => {
    const answer = () => response.end('ok')
    if (request.url?.startsWith('/slow')) setTimeout(answer, slowMs)
    else answer()
  }).listen(0, '127.0.0.1')
  await once(target, 'listening')
  undo.push(() => {
    target.closeAllConnections()
    target.close()
  })
  return `http://127.0.0.1:${(target.address() as AddressInfo).port}`
}

/** A check every two minutes that is due in about so many seconds: its offset moves it by steps of six. */
function dueIn(seconds: number) {
  const step = Math.floor(((Date.now() / 1000 + seconds) % 120) / 6)
  return { frequency: 2, frequencyOffset: step + 1 }
}

async function createCheck(url: string, body: Record<string, unknown>): Promise<string> {
  const init = { method: 'POST', headers, body: JSON.stringify(apiCheckBody(body)) }
  const response = await fetch(`${url}/v1/checks/api`, init)
  const created = (await response.json()) as { id: string }
  expect(response.status, JSON.stringify(created)).toBe(201)
  return created.id
}

const runsOf = ({ kysely }: Database, checkIds: readonly string[]) =>
  kysely.selectFrom('checkRuns').selectAll().where('checkId', 'in', checkIds).orderBy('dueAt').execute()

test('through a killed agent and rolling restarts of agents and servers every slot has one outcome', async () => {
  const target = await startTarget()
  const { dir, remove } = await temporaryDataDir()
  undo.push(remove)
  const databaseUrl = await emptyDatabaseUrl('postgres')
  const ports = [await freePort(), await freePort()]
  const envOf = (port: number) => ({
    PICKET_DATABASE_URL: databaseUrl,
    PICKET_PORT: String(port),
    PICKET_API_KEY: apiKey,
    PICKET_SECRET_KEY: 'the key that seals secrets in tests',
  })
  const startServer = async (port: number) => {
    const server = stoppedAtEnd(startPicket(['server'], envOf(port)))
    await server.logged('the service is ready')
    return server
  }
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const [first, second] = [ports[0] ?? 0, ports[1] ?? 0]
  const servers = [await startServer(first), await startServer(second)]
  const created = startPicket(['keys', 'create-location', 'eu-west-1'], envOf(0))
  await created.exit()
  const [, key = ''] = /(pl_\S+)/.exec(created.stdout()) ?? []
  const startAgent = async (name: string, url = '') => {
    const env = { API_URL: url, API_KEY: key, AGENT_HEALTH_PORT: '0', PICKET_DATA_DIR: join(dir, name) }
    const agent = stoppedAtEnd(startPicket(['agent'], env))
    await agent.logged('the agent is ready')
    const id = (await readFile(join(dir, name, 'agent-id'), 'utf8')).trim()
    return { agent, id }
  }
  const agents = await Promise.all([
    startAgent('a', urls[0]),
    startAgent('b', urls[1]),
    startAgent('c', urls[0]),
  ])
  const startedAt = Date.now()
  const database = await openDatabase(databaseUrl)
  undo.push(() => database.close())
  const request = (path: string) => ({ request: { method: 'GET', url: `${target}${path}` } })
  const fast = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      createCheck(urls[n % 2] ?? '', { name: `fast ${n}`, ...request('/') }),
    ),
  )
  const slow = await Promise.all(
    Array.from({ length: 9 }, (_, n) =>
      createCheck(urls[n % 2] ?? '', {
        name: `slow ${n}`,
        ...request(`/slow/${n}`),
        ...dueIn(18),
        degradedResponseTime: 30_000,
        maxResponseTime: 30_000,
      }),
    ),
  )

  const held = await vi.waitFor(
    async () => {
      const runs = await runsOf(database, slow)
      expect(runs.filter(({ state, dueAt }) => state === 'leased' && dueAt < Date.now())).toHaveLength(9)
      return runs
    },
    { timeout: 45_000, interval: 200 },
  )
  const share = Map.groupBy(await runsOf(database, fast), ({ agentId }) => agentId)
  share.delete(null)
  const shares = [...share.values()].map((runs) => runs.length)
  expect(shares).toHaveLength(3)
  expect(Math.max(...shares), `of three agents alike: ${shares}`).toBeLessThan(5 * Math.min(...shares))

  const busy = (id: string) => held.filter(({ agentId }) => agentId === id).length
  const [killed, drained] = agents.toSorted((a, b) => busy(b.id) - busy(a.id))
  if (!killed || !drained) throw new Error('there are three agents')
  killed.agent.signal('SIGKILL')
  drained.agent.signal('SIGTERM')
  await startAgent('d', urls[1])
  servers[1]?.signal('SIGTERM')
  expect(await servers[1]?.exit()).toBe(0)
  await startServer(second)
  expect(await drained.agent.exit()).toBe(0)

  await vi.waitFor(
    async () => {
      const ended = (await runsOf(database, slow)).filter(({ dueAt }) => dueAt < startedAt + 60_000)
      expect(ended.map(({ outcome }) => outcome)).toEqual(held.map(() => 'passed'))
      expect(ended.filter(({ agentId }) => agentId === killed.id)).toEqual([])
    },
    { timeout: 100_000, interval: 500 },
  )
  const from = new Date(startedAt).toISOString()
  const audit = startPicket(['audit', '--json', '--from', from], envOf(0))
  expect(await audit.exit(), audit.stdout() + audit.stderr()).toBe(0)
  const report: LedgerAudit = JSON.parse(audit.stdout())
  expect(report).toMatchObject({ sound: true, failed: 0, gaps: { count: 0 }, duplicates: { count: 0 } })
  expect(report.passed).toBeGreaterThanOrEqual(200)
  const doubles = await database.kysely
    .selectFrom('checkResults')
    .select('runId')
    .where('resultType', '=', 'FINAL')
    .groupBy('runId')
    .having(({ fn }) => fn.countAll<number>(), '>', 1)
    .execute()
  expect(doubles).toEqual([])
}, 240_000)
