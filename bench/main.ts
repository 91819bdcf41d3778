// `npm run bench`: each candidate alone against the same target, in one run; what counts is the ratio between them.
import { cpus, totalmem } from 'node:os'
import { measureAgent } from './agent.ts'
import { blackboxVersion, measureBlackbox } from './blackbox.ts'
import { runChild, startChild } from './child.ts'
import { type Measured, perCpuSecond } from './measured.ts'

const seconds = Number(process.env['BENCH_SECONDS'] ?? 5)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3)
const concurrency = 50

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const target = await startChild('target.ts')
const blackbox = blackboxVersion()
const candidates: Record<string, () => Promise<Measured>> = {
  "Picket's agent, whole path": () => measureAgent(target.url, seconds, concurrency),
  'bare undici, new connection each': () =>
    runChild<Measured>('bare-undici.ts', [target.url, String(seconds), String(concurrency)]),
  ...(blackbox && {
    [`blackbox_exporter ${blackbox}`]: () => measureBlackbox(target.url, seconds, concurrency),
  }),
}

const rates = new Map<string, number[]>()
for (let round = 1; round <= rounds; round += 1) {
  for (const [name, measure] of Object.entries(candidates)) {
    process.stderr.write(`\r\u001b[Kround ${round} of ${rounds}: ${name}`)
    rates.set(name, [...(rates.get(name) ?? []), perCpuSecond(await measure())])
  }
}
process.stderr.write('\r\u001b[K')
target.process.kill()

const [cpu] = cpus()
console.log(
  `HTTP API checks per CPU-second of the prober's own process (median of ${rounds} rounds of ${seconds} s)`,
)
console.log(
  `${cpus().length} × ${cpu?.model ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}\n`,
)
const picket = median(rates.get("Picket's agent, whole path") ?? [])
console.log('| prober | checks per CPU-second | Picket is |\n|---|---:|---:|')
for (const [name, values] of rates) {
  const rate = median(values)
  console.log(`| ${name} | ${Math.round(rate).toLocaleString('en')} | ${(picket / rate).toFixed(2)} × |`)
}
if (!blackbox)
  console.log('\nblackbox_exporter is not installed (Debian: apt-get install prometheus-blackbox-exporter)')
