import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '../../src/storage/database.ts'
import { type Engine, onEachEngine } from '../api/engines.ts'
import { type Measurable, startService } from '../api/service.ts'
import { figure, held, table } from '../support/markdown.ts'
import { progress } from '../support/progress.ts'
import { percentile } from '../support/statistics.ts'
import { seedHeartbeats, type Timer } from './seed-heartbeats.ts'

const count = Number(process.env['BENCH_HEARTBEATS'] ?? 100_000)
const watchedSeconds = Number(process.env['BENCH_WATCHED_SECONDS'] ?? 60)
const shortestMs = 30_000
const longestMs = 24 * 60 * 60_000
/** Until then the service is up. */
const leadMs = 10_000
const barMs = 1000

interface Measured {
  readonly title: string
  readonly verdicts: number
  readonly cpuPercent: number
  readonly rssMb: number
  readonly latenessMs: readonly number[]
}

/** How late heartbeats fail that nobody pings, their periods from 30 s to a day, all deadlines spread over their periods. */
export async function measureHeartbeats(): Promise<string> {
  return shown(await onEachEngine(measureEngine))
}

/** Periods even on a scale of powers. The last ping of each was some time ago that is anything up to its period. */
function timerOf(n: number, from: number): Timer {
  const periodMs = Math.round(shortestMs * (longestMs / shortestMs) ** (n / count))
  const spread = (n * 0.618_033_988_749_895) % 1
  return { periodMs, graceMs: 0, anchorAt: Math.round(from - spread * periodMs) }
}

async function measureEngine(engine: Engine): Promise<Measured> {
  progress(`${engine.title}: ${count} heartbeats`)
  const seededFor = Date.now()
  await seedHeartbeats(engine.url, count, (n) => timerOf(n, seededFor))
  const from = Date.now() + leadMs
  await moveTimers(engine.url, from - seededFor)
  const service = await startService(engine.url)
  await wait(Math.max(0, from - Date.now()))
  const measured = await watch(engine, service, from)
  await service.stop()
  return measured
}

/** What was seeded took its time. */
async function moveTimers(url: string, byMs: number): Promise<void> {
  const database = await openDatabase(url)
  await database.kysely
    .updateTable('heartbeats')
    .set((eb) => ({ anchorAt: eb('anchorAt', '+', byMs), deadlineAt: eb('deadlineAt', '+', byMs) }))
    .execute()
  await database.close()
}

async function watch(engine: Engine, service: Measurable, from: number): Promise<Measured> {
  progress(`${engine.title}: watched for ${watchedSeconds} s`)
  const before = await service.spent()
  await wait(watchedSeconds * 1000)
  const after = await service.spent()
  const database = await openDatabase(engine.url)
  const until = from + watchedSeconds * 1000
  const rows = await database.kysely
    .selectFrom('heartbeatEvents')
    .select(['checkId', 'at'])
    .where('at', '>=', from)
    .where('at', '<', until)
    .orderBy('at')
    .execute()
  const statuses = await database.kysely
    .selectFrom('checkStatuses')
    .select(['checkId', 'updatedAt'])
    .execute()
  await database.close()
  const told = new Map(statuses.map(({ checkId, updatedAt }) => [checkId, updatedAt]))
  const first = new Map(rows.toReversed().map(({ checkId, at }) => [checkId, at]))
  return {
    title: engine.title,
    verdicts: rows.length,
    cpuPercent: ((after.cpuSeconds - before.cpuSeconds) / watchedSeconds) * 100,
    rssMb: after.peakMb,
    latenessMs: [...first].map(([checkId, at]) => (told.get(checkId) ?? Number.NaN) - at),
  }
}

function shown(measured: readonly Measured[]): string {
  const head = [
    'database',
    'heartbeats',
    'verdicts/s',
    'late p50 ms',
    'p99 ms',
    'max ms',
    'CPU',
    'peak MB',
    'bar',
  ]
  const rows = measured.map(({ title, verdicts, cpuPercent, rssMb, latenessMs }) => {
    const latest = latenessMs.reduce((most, late) => Math.max(most, late), 0)
    return [
      title,
      figure(count),
      figure(verdicts / watchedSeconds),
      figure(percentile(latenessMs, 50)),
      figure(percentile(latenessMs, 99)),
      figure(latest),
      `${figure(cpuPercent)} %`,
      figure(rssMb),
      `< ${figure(barMs)} ms: ${held(latest < barMs)}`,
    ]
  })
  return table(head, rows)
}
