import { setTimeout as wait } from 'node:timers/promises'
import { type BenchAgent, startAgent } from '../support/agent.ts'
import { ask, startChild } from '../support/child.ts'
import { figure, held, table } from '../support/markdown.ts'
import { plannedChecks } from '../support/planned-runs.ts'
import { progress } from '../support/progress.ts'
import { percentile } from '../support/statistics.ts'
import { questions, type TakenResult } from './messages.ts'

const checks = Number(process.env['BENCH_CHECKS'] ?? 1000)
const seconds = 10
const intervalMs = seconds * 1000
const outageMs = Number(process.env['BENCH_OUTAGE_SECONDS'] ?? 120) * 1000
const settleMs = 3 * intervalMs
/** design §7, in milliseconds; on a machine that is busy with other things, what it was before the service stopped. */
const barP99Ms = 20

interface Measured {
  readonly taken: readonly TakenResult[]
  /** Epoch milliseconds. */
  readonly from: number
  readonly stoppedAt: number
  readonly backAt: number
  readonly until: number
  /** The most that the agent's process held, in bytes: before the service stopped, and since. */
  readonly memory: { readonly before: number; readonly since: number }
}

/** What becomes of 1,000 checks every 10 s when the service is gone for two minutes, and comes back. */
export async function measureOutage(): Promise<string> {
  const target = await startChild(new URL('../lateness/arrivals-target.ts', import.meta.url))
  const service = await startChild(new URL('stopping-service.ts', import.meta.url), {
    args: [target.said.url, checks, seconds],
  })
  const agent = await startAgent({ serviceUrl: service.said.url, concurrency: 200 })
  progress(`outage: ${checks} checks every ${seconds} s, ${outageMs / 1000} s without a service`)
  await wait(settleMs)
  const from = Date.now()
  const before = await most(agent, settleMs)
  await ask(service.process, questions.stop)
  const stoppedAt = Date.now()
  const away = await most(agent, outageMs)
  await ask(service.process, questions.start)
  const backAt = Date.now()
  const after = await most(agent, settleMs)
  const until = Date.now() - intervalMs
  await agent.stop()
  const taken = await ask<TakenResult[]>(service.process, questions.taken)
  service.process.kill()
  target.process.kill()
  const memory = { before, since: Math.max(away, after) }
  return shown({ taken, from, stoppedAt, backAt, until, memory })
}

/** Of its resident memory, looked at once a second. */
async function most(agent: BenchAgent, ms: number): Promise<number> {
  let bytes = 0
  for (const until = Date.now() + ms; Date.now() < until; await wait(1000)) {
    bytes = Math.max(bytes, (await agent.metrics()).get('process_resident_memory_bytes') ?? 0)
  }
  return bytes
}

function shown({ taken, from, stoppedAt, backAt, until, memory }: Measured): string {
  const of = (fromMs: number, untilMs: number) =>
    taken.filter(({ dueAt }) => dueAt >= fromMs && dueAt < untilMs)
  const rows = [
    ['before', of(from, stoppedAt)] as const,
    ['without the service', of(stoppedAt, backAt)] as const,
    ['after', of(backAt, until)] as const,
  ]
  const expected = slotsBetween(from, until)
  const runs = new Set(of(from, until).map(({ runId }) => runId))
  const twice = of(from, until).length - runs.size
  const late = of(stoppedAt, backAt).map(({ receivedAt }) => receivedAt)
  const caughtUpMs = Math.max(...late) - backAt
  const p99Of = (results: readonly TakenResult[]) =>
    percentile(
      results.map(({ queueUs }) => queueUs / 1000),
      99,
    )
  const p99 = p99Of(of(backAt, until))
  const barMs = Math.max(barP99Ms, 1.2 * p99Of(of(from, stoppedAt)))
  return [
    table(
      ['due', 'runs', 'p50 late, ms', 'p99', 'max'],
      rows.map(([name, results]) => [name, ...lateness(results)]),
    ),
    `${figure(expected)} slots were due: ${figure(expected - runs.size)} have no result (bar, none: ${held(expected === runs.size)}), ${figure(twice)} were carried out twice.`,
    `All results were with the service ${figure(caughtUpMs / 1000, 1)} s after it was back. Of the runs that were due since then p99 is late by ${figure(p99, 1)} ms: bar, under ${figure(barMs, 1)} ms, ${held(p99 < barMs)}.`,
    `The agent held at most ${figure(memory.before / 1e6)} MB before and ${figure(memory.since / 1e6)} MB since.`,
  ].join('\n\n')
}

function lateness(results: readonly TakenResult[]): string[] {
  const ms = results.map(({ queueUs }) => queueUs / 1000)
  return [figure(ms.length), ...[50, 99, 100].map((percent) => figure(percentile(ms, percent), 2))]
}

function slotsBetween(from: number, until: number): number {
  const ticks = (ms: number, phaseMs: number) => Math.ceil((ms - phaseMs) / intervalMs)
  return plannedChecks(checks, seconds).reduce(
    (sum, { phaseMs }) => sum + ticks(until, phaseMs) - ticks(from, phaseMs),
    0,
  )
}
