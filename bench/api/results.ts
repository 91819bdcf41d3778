import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { batchesOf } from '../../src/storage/batches.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { startAgent } from '../support/agent.ts'
import { ask, runChild, startChild } from '../support/child.ts'
import { figure, held, table } from '../support/markdown.ts'
import { cpuSecondsOf } from '../support/metrics.ts'
import { progress } from '../support/progress.ts'
import { median } from '../support/statistics.ts'
import { slotEveryMs } from './claimed-runs.ts'
import type { Delivered } from './deliver.ts'
import { type Engine, onEachEngine } from './engines.ts'
import { seed } from './seeded.ts'
import { type Measurable, startService } from './service.ts'
import { agentKey, rounds, seconds, sizeOf, warmUpSeconds } from './settings.ts'
import { checkIdOf } from './stored-result.ts'

const size = sizeOf(500_000)
/** What an agent gathers for its uploads at a thousand checks a second. */
const resultsAnUpload = 200
/** Runs for each check: more than are delivered in all rounds. */
const slots = 30
/** design §7: 8 × the 430 results per CPU-second of Uptime Kuma. */
const bar = 8 * 430
const wholePathSeconds = 20
/** Of the checks, so many are awake in the whole path: each makes a tenth of a run a second. */
const awake = Math.min(size.checks, Number(process.env['BENCH_AWAKE'] ?? 3000))

interface Rate {
  readonly perSecond: number
  readonly perCpuSecond: number
}

/** The service at work for real agents: planning, claims, definitions, results. */
interface WholePath {
  readonly perSecond: number
  readonly service: number
  /** Of service and agent together. */
  readonly both: number
  readonly notPassed: number
}

/** Results taken in per CPU-second of the service, and the whole path from the schedule to the stored status. */
export async function measureResults(): Promise<string> {
  return (await onEachEngine(measureEngine)).join('\n\n')
}

async function measureEngine(engine: Engine): Promise<string> {
  const target = await startChild(new URL('../support/fixed-target.ts', import.meta.url), { args: ['http'] })
  await seed(engine.url, size, target.said.url)
  const rates = await measureTakingIn(engine)
  const whole = await measureWholePath(engine)
  target.process.kill()
  return shown(engine.title, rates, whole)
}

async function measureTakingIn(engine: Engine): Promise<Rate[]> {
  const from = Date.now() - slots * slotEveryMs
  progress(`${engine.title}: runs that are claimed`)
  await runChild<object>(new URL('seed-runs.ts', import.meta.url), {
    args: [engine.url, size.checks, slots, from],
  })
  const service = await startService(engine.url)
  const args = [service.url, size.checks, from, resultsAnUpload]
  const { process: deliverer } = await startChild<object>(new URL('deliver.ts', import.meta.url), { args })
  await ask<Delivered>(deliverer, warmUpSeconds)
  const rates: Rate[] = []
  for (let round = 1; round <= rounds; round += 1) {
    progress(`${engine.title}: results taken in, round ${round} of ${rounds}`)
    const before = await service.spent()
    const delivered = await ask<Delivered>(deliverer, seconds)
    const after = await service.spent()
    rates.push({
      perSecond: delivered.results / delivered.seconds,
      perCpuSecond: delivered.results / (after.cpuSeconds - before.cpuSeconds),
    })
  }
  deliverer.kill()
  await service.stop()
  return rates
}

/** Checks that run every ten seconds, by a real agent against a target on this machine. */
async function measureWholePath(engine: Engine): Promise<WholePath> {
  await wake(engine.url)
  const service = await startService(engine.url)
  const agent = await startAgent({ serviceUrl: service.url, concurrency: 200, env: { API_KEY: agentKey } })
  progress(`${engine.title}: the whole path, warming up`)
  await wait(2 * slotEveryMs)
  const snapshot = () => taken(engine.url, service, agent.metricsUrl)
  const before = await snapshot()
  progress(`${engine.title}: the whole path, ${wholePathSeconds} s`)
  await wait(wholePathSeconds * 1000)
  const after = await snapshot()
  await agent.stop()
  await service.stop()
  const results = after.passed - before.passed
  const [ofService, ofAgent] = [after.service - before.service, after.agent - before.agent]
  return {
    perSecond: results / (after.atSeconds - before.atSeconds),
    service: results / ofService,
    both: results / (ofService + ofAgent),
    notPassed: after.notPassed - before.notPassed,
  }
}

/** What was claimed and not delivered goes: every claim of the agent would pass it by. */
async function wake(url: string): Promise<void> {
  const database = await openDatabase(url)
  await database.kysely.deleteFrom('checkRuns').where('state', '<>', 'done').execute()
  const ids = Array.from({ length: awake }, (_, check) => checkIdOf(check))
  const nextDueAt = Date.now() + 3000
  for (const batch of batchesOf(ids)) {
    await database.kysely.updateTable('checks').set({ nextDueAt }).where('id', 'in', batch).execute()
  }
  await database.close()
}

async function taken(url: string, service: Measurable, metricsUrl: string) {
  const database = await openDatabase(url)
  const { rows } = await sql<{ passed: number; others: number }>`
    select sum(case when outcome = 'passed' then 1 else 0 end) as passed,
      sum(case when outcome = 'passed' then 0 else 1 end) as others
    from check_runs where state = 'done'`.execute(database.kysely)
  await database.close()
  const [{ cpuSeconds }, agent] = [await service.spent(), await cpuSecondsOf(metricsUrl)]
  const [passed, notPassed] = [Number(rows[0]?.passed ?? 0), Number(rows[0]?.others ?? 0)]
  return { passed, notPassed, service: cpuSeconds, agent, atSeconds: performance.now() / 1000 }
}

function shown(title: string, rates: readonly Rate[], whole: WholePath): string {
  const perCpuSecond = median(rates.map((rate) => rate.perCpuSecond))
  const least = Math.min(...rates.map((rate) => rate.perCpuSecond))
  const most = Math.max(...rates.map((rate) => rate.perCpuSecond))
  const rows = [
    [
      `results taken in, ${resultsAnUpload} in an upload, 4 at a time`,
      figure(median(rates.map((rate) => rate.perSecond))),
      `${figure(perCpuSecond)} (${figure(least)}–${figure(most)})`,
    ],
    [
      'the whole path: planned, claimed, run, stored; of the service',
      figure(whole.perSecond),
      figure(whole.service),
    ],
    ['the same; of service and agent together', figure(whole.perSecond), figure(whole.both)],
  ]
  const times = figure(perCpuSecond / (bar / 8), 1)
  return [
    `### ${title}`,
    table(['what', 'results a second', 'results per CPU-second'], rows),
    `Bar: 8 × Uptime Kuma's 430 results per CPU-second (${figure(bar)}); taken in, ${times} × is ${held(perCpuSecond >= bar)}.`,
    `Of the whole path, ${figure(awake / 10)} runs a second, ${figure(whole.notPassed)} did not pass or were not run while it was measured.`,
  ].join('\n\n')
}
