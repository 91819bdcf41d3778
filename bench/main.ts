// `npm run bench`: figures of this machine, as Markdown on standard output; what counts is the ratio between candidates.

import { measureApi } from './api/api.ts'
import { measureResults } from './api/results.ts'
import { measureHeartbeats } from './heartbeats/heartbeats.ts'
import { measurePings } from './heartbeats/pings.ts'
import { measureLateness } from './lateness/lateness.ts'
import { measureMemory } from './memory/memory.ts'
import { measureOutage } from './outage/outage.ts'
import { measurePhaseAccuracy } from './phases/phases.ts'
import { machineFacts } from './support/facts.ts'
import { progress, progressEnded } from './support/progress.ts'
import { measureThroughput } from './throughput/throughput.ts'

interface Part {
  readonly title: string
  readonly takes: string
  /** Markdown, below the title. */
  readonly measure: () => Promise<string>
}

const parts: Readonly<Record<string, Part>> = {
  http: {
    title: 'HTTP API checks per CPU-second',
    takes: '3 minutes',
    measure: () => measureThroughput('http'),
  },
  https: {
    title: 'HTTPS API checks per CPU-second: full handshake, verified',
    takes: '3 minutes',
    measure: () => measureThroughput('https'),
  },
  tcp: {
    title: 'TCP checks per CPU-second',
    takes: '2 minutes',
    measure: () => measureThroughput('tcp'),
  },
  memory: {
    title: 'Memory for each further concurrent check',
    takes: '2 minutes',
    measure: measureMemory,
  },
  lateness: {
    title: 'Start of a run after it was due: 1,000 checks every 10 s',
    takes: '1 minute',
    measure: measureLateness,
  },
  outage: {
    title: 'Two minutes without the service: 1,000 checks every 10 s',
    takes: '4 minutes',
    measure: measureOutage,
  },
  phases: {
    title: 'Phase accuracy: reported minus what the target really did',
    takes: '2 minutes',
    measure: measurePhaseAccuracy,
  },
  api: {
    title: 'Management API over 10,000 checks and 5 million results',
    takes: '45 minutes, 25 GB of disk',
    measure: measureApi,
  },
  results: {
    title: 'Results taken in, and the whole path from the schedule to the stored status',
    takes: '5 minutes, 2 GB of disk',
    measure: measureResults,
  },
  pings: {
    title: 'Heartbeat pings, each answered when it is stored',
    takes: '1 minute',
    measure: measurePings,
  },
  heartbeats: {
    title: 'Heartbeats that nobody pings: how late they fail',
    takes: '5 minutes',
    measure: measureHeartbeats,
  },
}

function usage(): string {
  const lines = Object.entries(parts).map(
    ([name, { title, takes }]) => `  ${name.padEnd(12)}${title}; ${takes}`,
  )
  return [
    'node bench/main.ts [part…]     all of them when none is named',
    ...lines,
    'BENCH_SECONDS (3), BENCH_ROUNDS (5): of each candidate in http, https and tcp.',
    'BENCH_CHECKS (10000), BENCH_RESULTS (5000000; 500000 in results), BENCH_ENGINES (sqlite,postgres): of api and results.',
    'BENCH_OUTAGE_SECONDS (120), BENCH_CHECKS (1000) of outage.',
    'BENCH_INTERVALS (6) of 10 s in lateness. BENCH_SAMPLES (1000) of each row in phases.',
  ].join('\n')
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.log(usage())
  process.exit(unknown.includes('--help') ? 0 : 2)
}
console.log(`${machineFacts()}.`)
for (const [name, part] of Object.entries(parts)) {
  if (named.length > 0 && !named.includes(name)) continue
  progress(part.title)
  const text = await part.measure()
  progressEnded()
  console.log(`\n## ${part.title}\n\n${text}`)
}
