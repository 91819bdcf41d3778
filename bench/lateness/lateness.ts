import { setTimeout as wait } from 'node:timers/promises'
import { type BenchAgent, startAgent } from '../support/agent.ts'
import { ask, startChild } from '../support/child.ts'
import { figure, held, table } from '../support/markdown.ts'
import { cpuSecondsOf } from '../support/metrics.ts'
import { plannedChecks } from '../support/planned-runs.ts'
import { progress } from '../support/progress.ts'
import { percentile } from '../support/statistics.ts'
import type { Arrival } from './arrivals-target.ts'
import type { RunLateness } from './planned-service.ts'

const checks = 1000
const seconds = 10
const intervalMs = seconds * 1000
/** The first one, in which the agent starts, is told apart. */
const intervals = Number(process.env['BENCH_INTERVALS'] ?? 6)
/** design §7, in milliseconds */
const bars = { p50: 2, p99: 20 }

interface Measured {
  readonly runs: readonly RunLateness[]
  readonly arrivals: readonly Arrival[]
  /** Epoch milliseconds of the agent's word. */
  readonly readyAt: number
  readonly readyAfterMs: number
  /** Of one core, 0 to 1. */
  readonly cpu: number
}

/** How late runs start: 1,000 checks every 10 s by a real agent, on the same machine as target and service. */
export async function measureLateness(): Promise<string> {
  const target = await startChild(new URL('arrivals-target.ts', import.meta.url))
  const service = await startChild(new URL('planned-service.ts', import.meta.url), {
    args: [target.said.url, checks, seconds],
  })
  const agent = await startAgent({ serviceUrl: service.said.url, concurrency: 200 })
  const readyAt = Date.now()
  progress(`lateness: ${checks} checks every ${seconds} s, ${intervals} times`)
  await wait(intervalMs)
  const cpu = await cpuDuring(agent, (intervals - 1) * intervalMs)
  await agent.stop()
  const runs = await ask<RunLateness[]>(service.process, {})
  const arrivals = await ask<Arrival[]>(target.process, {})
  service.process.kill()
  target.process.kill()
  const failed = runs.filter(({ passing }) => !passing).length
  if (failed > 0) throw new Error(`${failed} runs of the bench did not pass`)
  return shown({ runs, arrivals, readyAt, readyAfterMs: agent.readyAfterMs, cpu })
}

async function cpuDuring({ metricsUrl }: BenchAgent, ms: number): Promise<number> {
  const before = await cpuSecondsOf(metricsUrl)
  await wait(ms)
  return ((await cpuSecondsOf(metricsUrl)) - before) / (ms / 1000)
}

function shown({ runs, arrivals, readyAt, readyAfterMs, cpu }: Measured): string {
  const steadyFrom = readyAt + intervalMs
  const ownMs = runs.filter(({ dueAt }) => dueAt >= steadyFrom).map(({ queueUs }) => queueUs / 1000)
  const seenMs = arrivals.filter(({ at }) => at >= steadyFrom).map(afterDueMs)
  const rows = [
    ['start of the run, as the agent reports it (`queueUs`)', ownMs] as const,
    ['request at the target, by its own clock', seenMs] as const,
  ].map(([name, values]) => [name, ...lateness(values)])
  const [p50, p99] = [percentile(ownMs, 50), percentile(ownMs, 99)]
  const perCheck = (cpu * 1e6) / (checks / seconds)
  return [
    table(['after dueAt, ms', 'runs', 'p50', 'p99', 'max'], rows),
    `Bars: p50 under ${bars.p50} ms is ${held(p50 < bars.p50)}, p99 under ${bars.p99} ms is ${held(p99 < bars.p99)}.`,
    `${firstRuns(runs, readyAt)} The agent was ready ${figure(readyAfterMs)} ms after its process was started.`,
    `The agent took ${figure(cpu * 100, 1)} % of one core: ${figure(perCheck)} µs for each check.`,
  ].join('\n\n')
}

const lateness = (values: readonly number[]): string[] => [
  figure(values.length),
  ...[50, 99, 100].map((percent) => figure(percentile(values, percent), 2)),
]

const phases = new Map(plannedChecks(checks, seconds).map(({ id, phaseMs }) => [id, phaseMs]))

/** From the last instant that the check was due at. */
function afterDueMs({ checkId, at }: Arrival): number {
  return (at - (phases.get(checkId) ?? Number.NaN)) % intervalMs
}

function firstRuns(runs: readonly RunLateness[], readyAt: number): string {
  const first = new Map<string, number>()
  for (const { checkId, startedAt } of runs) {
    first.set(checkId, Math.min(first.get(checkId) ?? Number.POSITIVE_INFINITY, startedAt))
  }
  const lastMs = Math.max(...first.values()) - readyAt
  const all = `All ${figure(first.size)} checks had run ${figure(lastMs / 1000, 1)} s after the agent said that it is ready`
  return `${all}: bar, within one interval of ${seconds} s, ${held(first.size === checks && lastMs <= intervalMs + bars.p99)}.`
}
