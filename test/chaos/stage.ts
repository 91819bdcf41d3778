import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { apiKey, callFirst, picket, printed } from './call.ts'
import { SmallDisk } from './small-disk.ts'
import { Told } from './told.ts'
import { startTarget } from './visited.ts'
import { Watched } from './watched.ts'
import { openWay, type Way } from './way.ts'

const here = import.meta.dirname
const secretKey = 'the key that seals secrets in chaos'
const locations = ['eu-west-1', 'us-east-1'] as const

interface Member {
  readonly process: Watched
  /** To the database, or to the service. */
  readonly way: Way
}

interface StagedAgent extends Member {
  readonly disk: SmallDisk
}

/** Two servers on one PostgreSQL, three agents at two locations, a target, and a way between each two that talk. */
export interface Stage {
  readonly databaseUrl: string
  readonly postgres: OwnPostgres
  readonly servers: readonly Member[]
  readonly agents: readonly StagedAgent[]
  readonly target: Way
  readonly targetUrl: string
  /** What the agents said of their results. */
  readonly told: Told
  /** The first that answers. */
  api<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Our own command, over the same database. */
  command(...args: string[]): Promise<string>
  visits(): Promise<number>
  strike(): Promise<void>
}

export async function buildStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'picket-chaos-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const postgres = await startOwnPostgres()
  const env = { PICKET_DATABASE_URL: postgres.url, PICKET_SECRET_KEY: secretKey, PICKET_API_KEY: apiKey }
  const command = (...args: string[]) => printed(env, args)
  await command('migrate')
  const servers = await Promise.all([0, 1].map((n) => startServer(n, env)))
  const urls = servers.map(({ url }) => url)
  const keys = await Promise.all(
    locations.map(async (location) => {
      return /(pl_\S+)/.exec(await command('keys', 'create-location', location))?.[1] ?? ''
    }),
  )
  const told = new Told()
  const agents = await Promise.all(
    [keys[0], keys[0], keys[1]].map((key = '', n) =>
      startAgent(n, { folder, key, told, serviceUrl: urls[n % urls.length] ?? '' }),
    ),
  )
  const target = await startTarget()
  const targetWay = await openWay(target.port)
  return {
    databaseUrl: postgres.url,
    postgres,
    servers,
    agents,
    target: targetWay,
    targetUrl: `http://127.0.0.1:${targetWay.port}`,
    told,
    api: (method, path, body) => callFirst(urls, method, path, body),
    command,
    visits: target.visits,
    strike: async () => {
      await Promise.all(agents.map(({ process: agent }) => agent.stop()))
      await Promise.all(servers.map(({ process: server }) => server.stop()))
      for (const { disk } of agents) disk.remove()
      for (const { way } of [...servers, ...agents]) way.close()
      targetWay.close()
      target.stop()
      await postgres.dispose()
    },
  }
}

async function startServer(n: number, env: Readonly<Record<string, string>>) {
  const database = new URL(env['PICKET_DATABASE_URL'] ?? '')
  const way = await openWay(Number(database.port))
  database.port = String(way.port)
  const port = await freePort()
  const ready = Promise.withResolvers<null>()
  const process = new Watched({
    name: `server ${n}`,
    args: [picket, 'server'],
    env: {
      ...env,
      PICKET_DATABASE_URL: database.href,
      PICKET_PORT: String(port),
      PICKET_RATE_LIMIT: '1000000',
    },
    onLine: (line) => {
      if (line.includes('the service is ready')) ready.resolve(null)
    },
  })
  await ready.promise
  return { process, way, url: `http://127.0.0.1:${port}` }
}

interface AgentPlace {
  readonly folder: string
  readonly key: string
  readonly told: Told
  readonly serviceUrl: string
}

async function startAgent(n: number, place: AgentPlace): Promise<StagedAgent> {
  const way = await openWay(Number(new URL(place.serviceUrl).port))
  const dataDir = join(place.folder, `agent-${n}`)
  mkdirSync(dataDir)
  const disk = new SmallDisk(dataDir)
  const ready = Promise.withResolvers<null>()
  const process = new Watched({
    name: `agent ${n}`,
    args: [join(here, 'stepped-agent.ts')],
    env: {
      API_URL: `http://127.0.0.1:${way.port}`,
      API_KEY: place.key,
      AGENT_HEALTH_PORT: '0',
      AGENT_HEALTH_HOST: '127.0.0.1',
      PICKET_DATA_DIR: dataDir,
      LOG_LEVEL: 'DEBUG',
    },
    onLine: (line) => {
      if (line.includes('the agent is ready')) ready.resolve(null)
      place.told.line(line)
    },
  })
  await ready.promise
  return { process, way, disk }
}
