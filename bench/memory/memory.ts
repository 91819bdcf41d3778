import { setTimeout as wait } from 'node:timers/promises'
import { startChild } from '../support/child.ts'
import { figure, held, table } from '../support/markdown.ts'
import { progress } from '../support/progress.ts'
import { median, slopeOf } from '../support/statistics.ts'
import { type HeldChecks, holdByAgent, holdByRunner, type Usage } from './held-checks.ts'

interface Level extends Usage {
  readonly checks: number
}

const levels = [0, 100, 500, 1000]
/** An attempt ends after 30 s: shorter than that, longer than garbage lives. */
const settleMs = 6000
const samplesALevel = 9
const betweenSamplesMs = 250
const megabyte = 2 ** 20
/** design §7 */
const bars = { eachMegabytes: 0.2, at500Megabytes: 200 }

/** What each further check in flight costs, of a target that accepts and never answers. */
export async function measureMemory(): Promise<string> {
  const target = await startChild(new URL('silent-target.ts', import.meta.url))
  const { url } = target.said
  const agent = await measureLevels("Picket's agent, JOB_CONCURRENCY=1000", await holdByAgent(url, 1000))
  const runner = await measureLevels("Picket's runner alone", await holdByRunner(url))
  target.process.kill()
  return [agent.shown, runner.shown, verdict(agent.found)].join('\n\n')
}

interface Found {
  readonly shown: string
  readonly found: readonly Level[]
}

async function measureLevels(name: string, checks: HeldChecks): Promise<Found> {
  const found: Level[] = []
  for (const level of levels) {
    progress(`memory: ${name}: ${level} in flight`)
    await checks.hold(level)
    await wait(settleMs)
    found.push({ checks: level, ...(await usageOf(checks)) })
  }
  await checks.stop()
  const rows = found.map(({ checks: inFlight, rss, heapUsed }) =>
    [inFlight, rss / megabyte, heapUsed / megabyte].map((value, column) => figure(value, column && 1)),
  )
  const each = `Each further check: ${figure(megabytesEach(found), 3)} MB (slope over 100, 500 and 1,000).`
  return { found, shown: `${table([`${name}: in flight`, 'RSS, MB', 'heap used, MB'], rows)}\n\n${each}` }
}

async function usageOf(checks: HeldChecks): Promise<Usage> {
  const samples: Usage[] = []
  while (samples.length < samplesALevel) {
    samples.push(await checks.usage())
    await wait(betweenSamplesMs)
  }
  const middle = (of: (usage: Usage) => number) => median(samples.map(of))
  return { rss: middle(({ rss }) => rss), heapUsed: middle(({ heapUsed }) => heapUsed) }
}

/** From nothing to the first hundred, code is compiled and the heap finds its size: that is on no check's account. */
function megabytesEach(found: readonly Level[]): number {
  const points = found.filter(({ checks }) => checks > 0).map(({ checks, rss }) => ({ x: checks, y: rss }))
  return slopeOf(points) / megabyte
}

function verdict(found: readonly Level[]): string {
  const { eachMegabytes, at500Megabytes } = bars
  const each = megabytesEach(found)
  const at500 = (found.find(({ checks }) => checks === 500)?.rss ?? Number.NaN) / megabyte
  return [
    `Bars, of the agent: less than ${eachMegabytes} MB for each further check; ${figure(each, 3)} MB is ${held(each < eachMegabytes)}.`,
    `Less than ${at500Megabytes} MB at 500 in flight; ${figure(at500)} MB is ${held(at500 < at500Megabytes)}.`,
  ].join(' ')
}
