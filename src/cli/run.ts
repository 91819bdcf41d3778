import PQueue from 'p-queue'
import type { CheckDefinition } from '../contract/run.ts'
import { systemClock } from '../lib/clock.ts'
import { exitCodes } from '../lib/daemon.ts'
import { packageVersion } from '../lib/package-version.ts'
import { judge } from '../rules/judge.ts'
import { capForReport } from '../runner/cap-for-report.ts'
import { createRunCheck } from '../runner/run-check.ts'
import { readCheckFile } from './read-check-files.ts'
import { type CheckReport, describeReport, describeTotals } from './report.ts'

interface RunOptions {
  readonly json?: boolean
  readonly concurrency: string
}

/** A person sees how far many checks have come, on standard error, so that the report itself stays clean. */
function progress(total: number): (done: readonly CheckReport[]) => void {
  if (total < 2 || !process.stderr.isTTY) return () => {}
  return (done) => {
    const failing = done.filter(({ verdict }) => verdict.state === 'failing').length
    const text = `${done.length} of ${total} checks done, ${failing} failing`
    process.stderr.write(done.length === total ? '\r\u001b[K' : `\r\u001b[K${text}`)
  }
}

async function runAll(definitions: readonly CheckDefinition[], concurrency: number): Promise<CheckReport[]> {
  const useOsDnsResolver = process.env['USE_OS_DNS_RESOLVER'] === 'true'
  const runCheck = createRunCheck({ clock: systemClock, useOsDnsResolver, version: packageVersion() })
  const queue = new PQueue({ concurrency })
  const done: CheckReport[] = []
  const show = progress(definitions.length)
  const { signal } = new AbortController()
  return queue.addAll(
    definitions.map((definition) => async () => {
      const outcome = await runCheck(definition, signal)
      const report = { name: definition.name, outcome: capForReport(outcome), ...judge(definition, outcome) }
      done.push(report)
      show(done)
      return report
    }),
  )
}

/** Runs every check of the files once. Returns the exit code: 0, 1 when one fails, 2 when the input cannot be used. */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<number> {
  const concurrency = /^[1-9]\d{0,3}$/.test(options.concurrency) ? Number(options.concurrency) : null
  if (concurrency === null) {
    process.stderr.write(
      `--concurrency must be a whole number from 1 to 9999, was "${options.concurrency}"\n`,
    )
    return exitCodes.badSettings
  }
  const read = await Promise.all(files.map(readCheckFile))
  const faults = read.flatMap((file) => file.faults)
  if (faults.length > 0) {
    process.stderr.write(`${faults.map(({ text }) => text).join('\n')}\n`)
    return exitCodes.badSettings
  }
  const reports = await runAll(
    read.flatMap((file) => file.definitions),
    concurrency,
  )
  const text = options.json
    ? JSON.stringify(reports, null, 2)
    : [...reports.map(describeReport), '', describeTotals(reports)].join('\n')
  process.stdout.write(`${text}\n`)
  return reports.some(({ verdict }) => verdict.state === 'failing') ? exitCodes.failed : exitCodes.ok
}
