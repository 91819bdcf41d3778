import { openDatabase } from '../../src/storage/database.ts'
import { type Engine, onEachEngine } from '../api/engines.ts'
import { startService } from '../api/service.ts'
import { rounds, seconds, warmUpSeconds } from '../api/settings.ts'
import { ask, startChild } from '../support/child.ts'
import { figure, held, table } from '../support/markdown.ts'
import { progress } from '../support/progress.ts'
import { median } from '../support/statistics.ts'
import type { Pinged } from './ping-load.ts'
import { seedHeartbeats } from './seed-heartbeats.ts'

const heartbeats = Number(process.env['BENCH_HEARTBEATS'] ?? 5000)
const connections = 256
/** design §7 */
const barPerSecond = 5000

interface Round extends Pinged {
  readonly perCpuSecond: number
}

interface Measured {
  readonly title: string
  readonly rounds: readonly Round[]
  readonly answered: number
  readonly stored: number
}

/** Pings answered a second, each after its commit, and per CPU-second of the service. */
export async function measurePings(): Promise<string> {
  return shown(await onEachEngine(measureEngine))
}

async function measureEngine(engine: Engine): Promise<Measured> {
  const dayMs = 24 * 60 * 60_000
  await seedHeartbeats(engine.url, heartbeats, () => ({ periodMs: dayMs, graceMs: dayMs, anchorAt: null }))
  const service = await startService(engine.url)
  const { process: load } = await startChild<object>(new URL('ping-load.ts', import.meta.url))
  const put = (lasting: number) =>
    ask<Pinged>(load, { url: service.url, heartbeats, connections, seconds: lasting })
  let answered = (await put(warmUpSeconds)).pings
  const measured: Round[] = []
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${engine.title}: pings, round ${round} of ${rounds}`)
    const before = await service.spent()
    const pinged = await put(seconds)
    const after = await service.spent()
    answered += pinged.pings
    measured.push({ ...pinged, perCpuSecond: pinged.pings / (after.cpuSeconds - before.cpuSeconds) })
  }
  load.disconnect()
  await service.stop()
  return { title: engine.title, rounds: measured, answered, stored: await storedIn(engine.url) }
}

async function storedIn(url: string): Promise<number> {
  const database = await openDatabase(url)
  const row = await database.kysely
    .selectFrom('heartbeatEvents')
    .select(({ fn }) => fn.sum<number>('pings').as('pings'))
    .executeTakeFirst()
  await database.close()
  return Number(row?.pings ?? 0)
}

function shown(measured: readonly Measured[]): string {
  const head = ['database', 'pings/s', 'per CPU-s', 'p50 ms', 'p99 ms', 'answered', 'stored', 'bar']
  const rows = measured.map(({ title, rounds: all, answered, stored }) => {
    const of = (value: (round: Round) => number) => median(all.map(value))
    const perSecond = of((round) => round.pings / round.seconds)
    return [
      title,
      figure(perSecond),
      figure(of((round) => round.perCpuSecond)),
      figure(
        of((round) => round.p50Ms),
        1,
      ),
      figure(
        of((round) => round.p99Ms),
        1,
      ),
      figure(answered),
      figure(stored),
      `≥ ${figure(barPerSecond)}: ${held(perSecond >= barPerSecond && stored >= answered)}`,
    ]
  })
  return table(head, rows)
}
