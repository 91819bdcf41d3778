import { figure, held, table } from '../support/markdown.ts'
import { progress } from '../support/progress.ts'
import { median } from '../support/statistics.ts'
import { type DiskUse, type Engine, onEachEngine } from './engines.ts'
import { measureOperation, type OperationRate, startLoad } from './measure-operation.ts'
import { emptyRoute, type Operation, readsOf, variableKey, writesOf } from './operations.ts'
import { seed } from './seeded.ts'
import { type Measurable, startEmptyRoute, startService } from './service.ts'
import type { Spent } from './service-probe.ts'
import { apiKey, rounds, seconds, sizeOf } from './settings.ts'
import { planOf } from './stored-plan.ts'

const size = sizeOf(5_000_000)
/** design §7: a read of the Management API, of the rate of a route that does nothing. */
const bar = 0.5

/** What was measured of one engine. */
interface Findings {
  readonly title: string
  readonly seededInSeconds: number
  readonly rates: ReadonlyMap<Operation, readonly OperationRate[]>
  readonly disk: DiskUse
  /** Of the server: when it had started, and after everything. */
  readonly spent: readonly [Spent, Spent]
}

/** Reads and writes of the Management API over a filled database, beside a route that does nothing, on each engine. */
export async function measureApi(): Promise<string> {
  return (await onEachEngine(measureEngine)).map(shown).join('\n\n')
}

async function measureEngine(engine: Engine): Promise<Findings> {
  const begun = performance.now()
  await seed(engine.url, size)
  const seededInSeconds = (performance.now() - begun) / 1000
  progress(`${engine.title}: what it takes on disk`)
  const disk = await engine.diskUse()
  const [service, empty, load] = [await startService(engine.url), await startEmptyRoute(), await startLoad()]
  const first = await service.spent()
  await makeVariable(service)
  const stored = planOf(size, Date.now())
  const rates = new Map<Operation, OperationRate[]>()
  const inTurns = async (operations: readonly Operation[]) => {
    for (let round = 1; round <= rounds; round += 1) {
      for (const operation of operations) {
        progress(`${engine.title}: round ${round} of ${rounds}: ${operation.name}`)
        const target = operation === emptyRoute ? empty : service
        const rate = await measureOperation(load, target, operation, { ...stored, seconds })
        rates.set(operation, [...(rates.get(operation) ?? []), rate])
      }
    }
  }
  await inTurns([emptyRoute, ...readsOf(stored)])
  await inTurns(writesOf(stored))
  const last = await service.spent()
  load.kill()
  await Promise.all([service.stop(), empty.stop()])
  return { title: engine.title, seededInSeconds, rates, disk, spent: [first, last] }
}

async function makeVariable({ url }: Measurable): Promise<void> {
  const { status } = await fetch(`${url}/v1/variables`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key: variableKey, value: 'a value' }),
  })
  if (status !== 201) throw new Error(`the variable to read was not made: ${status}`)
}

const ofRates = (rates: readonly OperationRate[], key: keyof OperationRate): number =>
  median(rates.map((rate) => rate[key]))

function shown(findings: Findings): string {
  const emptyRate = ofRates(findings.rates.get(emptyRoute) ?? [], 'perCpuSecond')
  const rows = Array.from(findings.rates, ([{ name, inFlight }, rates]) => {
    const rate = ofRates(rates, 'perCpuSecond')
    return [
      name,
      figure(inFlight),
      figure(ofRates(rates, 'perSecond'), rate < 100 ? 1 : 0),
      figure(rate, rate < 100 ? 1 : 0),
      `${figure((100 * rate) / emptyRate, 1)} %`,
      figure(ofRates(rates, 'p50Ms'), 1),
      figure(ofRates(rates, 'p99Ms'), 1),
    ]
  })
  const head = [
    'operation',
    'at a time',
    'a second',
    'per CPU-second',
    'of the empty route',
    'p50, ms',
    'p99, ms',
  ]
  return [`### ${findings.title}`, table(head, rows), verdict(findings, emptyRate), holdings(findings)].join(
    '\n\n',
  )
}

function verdict({ rates }: Findings, emptyRate: number): string {
  const reads = [...rates].filter(([operation]) => operation.kind === 'read' && operation !== emptyRoute)
  const missing = reads.filter(([, ofOne]) => ofRates(ofOne, 'perCpuSecond') < bar * emptyRate)
  const which = missing.length === 0 ? '' : `, by ${missing.length} of ${reads.length} reads`
  return [
    `Median of ${rounds} rounds of ${seconds} s each.`,
    `Bar: a read makes at least ${100 * bar} % of an empty Fastify route's rate; ${held(missing.length === 0)}${which}.`,
  ].join(' ')
}

const gigabytes = (bytes: number) => figure(bytes / 1e9, 2)

function holdings({ disk, spent: [first, last], seededInSeconds }: Findings): string {
  const millions = size.results / 1e6
  return [
    `${figure(size.checks)} checks and ${figure(size.results)} results of 30 days, written in ${figure(seededInSeconds)} s:`,
    `${gigabytes(disk.all)} GB on disk; a million results take ${gigabytes(disk.results / millions)} GB with their indexes,`,
    `and their hourly and daily figures ${gigabytes(disk.rollups / millions)} GB.`,
    `Memory of the server: ${figure(first.rssMb)} MB when it had started, ${figure(last.rssMb)} MB after all of this`,
    `(heap used ${figure(last.heapMb)} MB), ${figure(last.peakMb)} MB at most.`,
  ].join(' ')
}
