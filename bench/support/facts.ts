import { cpus, loadavg, release, totalmem, type } from 'node:os'

/** Of the machine, before anything is measured: figures mean nothing without it. */
export function machineFacts(): string {
  const [cpu] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  const load = loadavg().map((average) => average.toFixed(2))
  return [
    `${cpus().length} × ${cpu?.model ?? 'unknown CPU'}, ${memory}, ${type()} ${release()}, Node.js ${process.version}`,
    `load average before the run ${load.join(', ')}`,
  ].join('; ')
}
