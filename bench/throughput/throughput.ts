import { fileURLToPath } from 'node:url'
import { ask, runChild, startChild } from '../support/child.ts'
import { figure, held, table } from '../support/markdown.ts'
import { progress } from '../support/progress.ts'
import { median } from '../support/statistics.ts'
import { measureAgent } from './agent-throughput.ts'
import { blackboxVersion, measureBlackbox } from './blackbox.ts'
import { type Load, type Measured, perCpuSecond } from './measured.ts'

type Scheme = 'http' | 'https' | 'tcp'
/** Picket's own comes first: the others are compared with it. */
type Candidates = Readonly<Record<string, (target: string) => Promise<Measured>>>

const load: Load = { seconds: Number(process.env['BENCH_SECONDS'] ?? 3), concurrency: 50 }
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
/** design §7: so many times blackbox_exporter. */
const bars: Readonly<Record<Scheme, number>> = { http: 2, https: 1.1, tcp: 2.5 }
const trusting = {
  NODE_EXTRA_CA_CERTS: fileURLToPath(new URL('../../test/support/certificates/ca.pem', import.meta.url)),
}

const loop = (file: URL) => (target: string) =>
  runChild<Measured>(file, { args: [target, load.seconds, load.concurrency], env: trusting })

function candidatesOf(scheme: Scheme): Candidates {
  const exchanges = {
    "Picket's agent, whole path": (target: string) => measureAgent(target, load, trusting),
    "Picket's runner alone": loop(new URL('runner-alone.ts', import.meta.url)),
  }
  const version = blackboxVersion()
  const module = scheme === 'tcp' ? 'tcp_connect' : scheme === 'http' ? 'http_2xx' : 'https_2xx'
  return {
    ...exchanges,
    ...(scheme === 'tcp'
      ? { "Picket's dialer alone": loop(new URL('dialer-alone.ts', import.meta.url)) }
      : { 'bare undici': loop(new URL('bare-undici.ts', import.meta.url)) }),
    'bare sockets': loop(new URL('bare-sockets.ts', import.meta.url)),
    ...(version && {
      [`blackbox_exporter ${version}`]: (target: string) =>
        measureBlackbox(module, target.replace('tcp://', ''), load),
    }),
  }
}

/** Checks per CPU-second of each candidate, in rounds in which they take turns. */
export async function measureThroughput(scheme: Scheme): Promise<string> {
  const target = await startChild(new URL('../support/fixed-target.ts', import.meta.url), { args: [scheme] })
  const url = target.said.url.replace(/^http:/, scheme === 'tcp' ? 'tcp:' : 'http:')
  const rates = new Map<string, number[]>()
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(candidatesOf(scheme))) {
      progress(`${scheme}: round ${round} of ${rounds}: ${name}`)
      rates.set(name, [...(rates.get(name) ?? []), perCpuSecond(await measure(url))])
    }
  }
  const counted = await ask<{ handshakes: number; resumed: number }>(target.process, {})
  target.process.kill()
  if (counted.resumed > 0) throw new Error(`${counted.resumed} TLS sessions were resumed`)
  const handshakes = `${figure(counted.handshakes)} full handshakes, no session resumed.`
  return [shown(rates), verdict(scheme, rates), ...(scheme === 'https' ? [handshakes] : [])].join('\n\n')
}

const blackboxOf = (rates: ReadonlyMap<string, readonly number[]>) =>
  median([...rates].find(([name]) => name.startsWith('blackbox'))?.[1] ?? [])

const ownOf = (rates: ReadonlyMap<string, readonly number[]>) => median([...rates.values()][0] ?? [])

function shown(rates: ReadonlyMap<string, readonly number[]>): string {
  const [own, blackbox] = [ownOf(rates), blackboxOf(rates)]
  const times = (value: number) => (Number.isNaN(value) ? '–' : `${figure(value, 2)} ×`)
  return table(
    ['prober', 'checks per CPU-second', 'min–max', 'of blackbox', 'Picket is'],
    Array.from(rates, ([name, values]) => {
      const rate = median(values)
      const spread = `${figure(Math.min(...values))}–${figure(Math.max(...values))}`
      return [name, figure(rate), spread, times(rate / blackbox), times(own / rate)]
    }),
  )
}

function verdict(scheme: Scheme, rates: ReadonlyMap<string, readonly number[]>): string {
  const ratio = ownOf(rates) / blackboxOf(rates)
  const runs = `Median of ${rounds} rounds of ${load.seconds} s each, ${load.concurrency} at a time.`
  if (Number.isNaN(ratio)) {
    return `${runs} blackbox_exporter is not installed (Debian: apt-get install prometheus-blackbox-exporter).`
  }
  const bar = bars[scheme]
  return `${runs} Bar: at least ${bar} × blackbox_exporter; ${figure(ratio, 2)} × is ${held(ratio >= bar)}.`
}
