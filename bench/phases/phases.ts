import { figure, held, table } from '../support/markdown.ts'
import { progress } from '../support/progress.ts'
import { median, percentile } from '../support/statistics.ts'
import { measureConnects } from './connect.ts'
import { measurePhases, type PhaseErrors } from './samples.ts'
import { controlEnds } from './scenarios.ts'

/** design §7: 95 % of all within this. */
const barMs = 1
const load = { lanes: 20, samples: Number(process.env['BENCH_SAMPLES'] ?? 1000) }

/** How far reported phases are from what really took place. */
export async function measurePhaseAccuracy(): Promise<string> {
  progress('phases: connect')
  const connects = await measureConnects({ samples: load.samples / 4, burst: 50 })
  const others = await measurePhases({ ...load, onScenario: (name) => progress(`phases: ${name}`) })
  const measured = [...connects, ...others]
  const rows = measured.map(({ phase, ends, errorsMs }) => [`${phase}: ${ends}`, ...off(errorsMs)])
  const head = [
    'phase, and how it ends',
    'attempts',
    'p50, ms',
    'p95, ms',
    'max, ms',
    'bias, ms',
    `p95 < ${barMs} ms`,
  ]
  return [table(head, rows), overall(measured)].join('\n\n')
}

const sizes = (errorsMs: readonly number[]) => errorsMs.map(Math.abs)

function off(errorsMs: readonly number[]): string[] {
  const [p50, p95, max] = [50, 95, 100].map((percent) => percentile(sizes(errorsMs), percent))
  const figures = [p50, p95, max, median(errorsMs)].map((value) => figure(value ?? Number.NaN, 2))
  return [figure(errorsMs.length), ...figures, held((p95 ?? Number.NaN) < barMs)]
}

function overall(measured: readonly PhaseErrors[]): string {
  const own = measured.filter(({ ends }) => ends !== controlEnds)
  const all = sizes(own.flatMap(({ errorsMs }) => errorsMs))
  const p95 = percentile(all, 95)
  return `Of all ${figure(all.length)} attempts of Picket, ${load.lanes} at a time: p95 ${figure(p95, 2)} ms; bar, under ${barMs} ms, ${held(p95 < barMs)}.`
}
