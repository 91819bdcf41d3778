import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readLedger, untilQuiet } from './audit.ts'
import { apiKey, callFirst, picket, printed } from './call.ts'
import { intervalMs, makeChecks } from './make-checks.ts'
import { randomFrom } from './random.ts'
import { Told } from './told.ts'
import { judge, type Line } from './verdict.ts'
import { startTarget } from './visited.ts'
import { Watched } from './watched.ts'

export interface SqliteOptions {
  readonly seed: number
  readonly kills: number
  readonly checks: number
  readonly say: (text: string) => void
}

/** Most lives begin well before they end; the others may end in the middle of a start. */
const livedShare = 0.7
const longestLifeMs = 8000
const longestStartMs = 3000
const readyWithinMs = 30_000

/** `picket up` with what it says of itself: where it is, and which processes it is made of. */
class Up {
  readonly told = new Told()
  readonly process: Watched
  readonly #pids = new Map<string, number>()
  #url = Promise.withResolvers<string>()
  #agentReady = Promise.withResolvers<null>()

  constructor(env: Readonly<Record<string, string>>) {
    this.process = new Watched({ name: 'up', args: [picket, 'up'], env, onLine: (line) => this.#line(line) })
  }

  /** Where the service is, once it was ready. */
  get url(): Promise<string> {
    return this.#url.promise
  }

  /** The agent of this life polls, or does not come to it in time. */
  async ready(): Promise<void> {
    await Promise.race([this.#agentReady.promise, sleep(readyWithinMs)])
  }

  kill(who: 'up' | 'server' | 'agent'): void {
    if (who !== 'server') this.#agentReady = Promise.withResolvers<null>()
    const pid = this.#pids.get(who)
    if (who === 'up' || pid === undefined) this.process.signal('SIGKILL')
    else killPid(pid)
  }

  #line(line: string): void {
    this.told.line(line)
    const [, name = '', pid] = /^\{.*"pid":(\d+).*"name":"(\w+)"/.exec(line)?.toReversed() ?? []
    if (pid !== undefined) this.#pids.set(name, Number(pid))
    const [, url] = /"url":"([^"]+)".*the service is ready/.exec(line) ?? []
    if (url !== undefined) this.#url.resolve(url)
    if (line.includes('the agent is ready')) this.#agentReady.resolve(null)
  }
}

function killPid(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}

/** `picket up` over one SQLite file, killed again and again: all of it, its server or its agent; then the ledger is read. */
export async function chaosOnSqlite({ seed, kills, checks, say }: SqliteOptions): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'picket-chaos-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const env = {
    PICKET_DATA_DIR: folder,
    PICKET_PORT: '0',
    PICKET_API_KEY: apiKey,
    PICKET_RATE_LIMIT: '1000000',
    AGENT_HEALTH_PORT: '0',
    AGENT_HEALTH_HOST: '127.0.0.1',
    LOG_LEVEL: 'DEBUG',
  }
  const target = await startTarget()
  const up = new Up(env)
  try {
    const urls = [await up.url]
    for (const { id } of await callFirst<{ id: string }[]>(urls, 'GET', '/v1/checks')) {
      await callFirst(urls, 'DELETE', `/v1/checks/${id}`)
    }
    await makeChecks((...call) => callFirst(urls, ...call), `http://127.0.0.1:${target.port}`, checks)
    const fromMs = Date.now() + intervalMs
    say(`seed ${seed}: ${kills} kills over ${checks} checks`)
    await killAgain(up, randomFrom(seed), kills, say)
    await sleep(intervalMs)
    const untilMs = Date.now()
    const kept = up.told.keptSoFar
    const databaseUrl = `sqlite:${join(folder, 'picket.db')}`
    await untilQuiet(databaseUrl, untilMs, say)
    const ledger = await readLedger((...args) => printed(env, args), fromMs, untilMs)
    const { told } = up
    const lines = await judge({
      databaseUrl,
      told,
      kept,
      ledger,
      happened: [],
      visits: await target.visits(),
    })
    return [...lines, ...up.process.endings.map((text): Line => [text, '', false])]
  } finally {
    await up.process.stop()
    target.stop()
  }
}

async function killAgain(
  up: Up,
  random: () => number,
  kills: number,
  say: (text: string) => void,
): Promise<void> {
  for (let n = 1; n <= kills; n += 1) {
    const [isLived, share] = [random() < livedShare, random()]
    if (isLived) await up.ready()
    await sleep(share * (isLived ? longestLifeMs : longestStartMs))
    const dice = random()
    up.kill(dice < 0.6 ? 'up' : dice < 0.8 ? 'server' : 'agent')
    if (n % 10 === 0) say(`${n} kills`)
  }
}
