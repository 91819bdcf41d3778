// `npm run soak`: a real agent under a mixed load and before a service with moods, watched for what does not come back.
// Ends with 1 when something does not.
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sparkline } from './soak/chart.ts'
import { inspectable, openCollector } from './soak/collector.ts'
import { type SoakSample, sampleOf } from './soak/sample.ts'
import type { SoakCounts } from './soak/service.ts'
import { growthMb, judgedFromSeconds, soakFaults } from './soak/verdict.ts'
import { type BenchAgent, startAgent } from './support/agent.ts'
import { ask, startChild } from './support/child.ts'
import { machineFacts } from './support/facts.ts'
import { figure } from './support/markdown.ts'
import { progress, progressEnded } from './support/progress.ts'

const minutes = Number(process.env['SOAK_MINUTES'] ?? 10)
/** Each every 10 s: 150 a second. */
const checks = 1500
const everyMs = 5000
const chartWidth = 60
/** A silent target holds an attempt for 30 s, and its retry for as long again. */
const maxEndMs = 90_000
/** Kept-alive connections close by themselves within this. */
const restMs = 10_000

async function watch(agent: BenchAgent, untilMs: number, isOver: (sample: SoakSample) => boolean) {
  const samples: SoakSample[] = []
  const startedMs = performance.now()
  const elapsedMs = () => performance.now() - startedMs
  while (elapsedMs() < untilMs) {
    await wait(everyMs)
    const sample = await sampleOf(agent, collector, elapsedMs() / 1000)
    samples.push(sample)
    const { seconds, rssMb, heapMb, running, outbox } = sample
    progress(
      `${figure(seconds)} s: ${figure(rssMb)} MB (heap ${figure(heapMb)}), ${running} running, ${outbox} in the outbox`,
    )
    if (isOver(sample)) break
  }
  return samples
}

function shown(samples: readonly SoakSample[]): string {
  const names = ['rssMb', 'heapMb', 'fds', 'sockets', 'timers', 'resources', 'running', 'outbox'] as const
  return names
    .map((name) => {
      const values = samples.map((sample) => sample[name])
      const [least, most] = [Math.min(...values), Math.max(...values)]
      return `${name.padEnd(10)}${sparkline(values, chartWidth)}  ${figure(least)}–${figure(most)}`
    })
    .join('\n')
}

console.log(`${machineFacts()}.`)
const targets = await startChild<{ urls: string[] }>(new URL('soak/targets.ts', import.meta.url))
const service = await startChild(new URL('soak/service.ts', import.meta.url), {
  args: [checks, ...targets.said.urls],
})
const agent = await startAgent({
  serviceUrl: service.said.url,
  concurrency: 500,
  env: {
    NODE_OPTIONS: inspectable,
    NODE_EXTRA_CA_CERTS: fileURLToPath(new URL('../test/support/certificates/ca.pem', import.meta.url)),
  },
})
const collector = await openCollector(agent.stderr())
const [before] = await watch(agent, everyMs, () => true)
if (!before) throw new Error('there is no sample of before the load')
await ask(service.process, 1)
const during = await watch(agent, minutes * 60_000, () => false)
await ask(service.process, 0)
await watch(agent, maxEndMs, ({ running, outbox }) => running === 0 && outbox === 0)
const [after = before] = await watch(agent, restMs, ({ seconds }) => seconds * 1000 >= restMs).then((rest) =>
  rest.slice(-1),
)
const { given, concluded, again } = await ask<SoakCounts>(service.process, -1)
progressEnded()
collector.close()
await agent.stop()
service.process.kill()
targets.process.kill()

console.log(`\n${shown([before, ...during, after])}\n`)
console.log(
  `${figure(given)} runs given, ${figure(concluded)} concluded; ${figure(again)} results sent again.`,
)
const [grownMb, heapMb] = [growthMb(during, 'rssMb'), growthMb(during, 'heapMb')]
console.log(
  grownMb === null || heapMb === null
    ? `Memory is judged after a load of ${judgedFromSeconds / 60} minutes or more.`
    : `Second half of the load: RSS grew by ${figure(grownMb, 1)} MB, heap and buffers by ${figure(heapMb, 1)} MB.`,
)
const faults = soakFaults({ before, during, after, unheardOf: given - concluded })
for (const fault of faults) console.log(`Fault: ${fault}.`)
if (faults.length > 0) process.exitCode = 1
