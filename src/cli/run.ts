import PQueue from 'p-queue'
import { megabyte } from '../agent/config.ts'
import { createJudging, type Judging } from '../agent/judging/judging.ts'
import type { CheckDefinition } from '../contract/run.ts'
import type { Variable } from '../contract/variable.ts'
import { AppError } from '../lib/app-error.ts'
import { systemClock } from '../lib/clock.ts'
import { exitCodes } from '../lib/daemon.ts'
import { packageVersion } from '../lib/package-version.ts'
import { readSettings } from '../lib/settings.ts'
import { createEgressPolicy } from '../rules/egress/egress-policy.ts'
import { mergeVariables } from '../rules/merge-variables.ts'
import { SharedBodyMemory } from '../runner/body-memory.ts'
import { createRunCheck } from '../runner/run-check.ts'
import { readCheckFile } from './read-check-files.ts'
import { readVariables, type VariableOptions } from './read-variables.ts'
import { type CheckReport, describeReport, describeTotals, type JudgedReport } from './report.ts'
import { runSettings } from './run-settings.ts'

export interface RunOptions extends VariableOptions {
  readonly json?: boolean
  readonly concurrency: string
}

/** A person sees how far many checks have come, on standard error, so that the report itself stays clean. */
function progress(total: number): (done: readonly CheckReport[]) => void {
  if (total < 2 || !process.stderr.isTTY) return () => {}
  return (done) => {
    const text = `${done.length} of ${total} checks done, ${done.filter((report) => !isFine(report)).length} not well`
    process.stderr.write(done.length === total ? '\r\u001b[K' : `\r\u001b[K${text}`)
  }
}

/** A fault of our own says nothing of this target, and keeps no other check from its report. */
async function reportOf(
  { name }: CheckDefinition,
  make: () => Promise<Omit<JudgedReport, 'name'>>,
): Promise<CheckReport> {
  try {
    return { name, ...(await make()) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { name, errored: `${error.code}: ${error.message}` }
  }
}

const isFine = (report: CheckReport) => !('errored' in report) && report.verdict.state !== 'failing'

type Attempt = (definition: CheckDefinition) => Promise<Omit<JudgedReport, 'name'>>

/** @throws SettingsError naming every fault */
function createAttempt(judging: Judging): Attempt {
  const settings = readSettings(runSettings, process.env)
  const runCheck = createRunCheck({
    clock: systemClock,
    useOsDnsResolver: settings.USE_OS_DNS_RESOLVER === 'true',
    version: packageVersion(),
    egress: createEgressPolicy({ allow: settings.EGRESS_ALLOW, deny: settings.EGRESS_DENY }),
  })
  const bodies = new SharedBodyMemory(settings.PICKET_BODY_MEMORY_MB * megabyte)
  const { signal } = new AbortController()
  return async (definition) => {
    const memory = bodies.attempt()
    try {
      return await judging.conclude(definition, await runCheck(definition, signal, { memory }))
    } finally {
      memory.free()
    }
  }
}

async function runAll(definitions: readonly CheckDefinition[], concurrency: number): Promise<CheckReport[]> {
  const judging = createJudging()
  const attempt = createAttempt(judging)
  const queue = new PQueue({ concurrency })
  const done: CheckReport[] = []
  const show = progress(definitions.length)
  const reports = await queue.addAll(
    definitions.map((definition) => async () => {
      const report = await reportOf(definition, () => attempt(definition))
      done.push(report)
      show(done)
      return report
    }),
  )
  await judging.close()
  return reports
}

/** What the command line says stands over what the file says: that is what it is given for. */
function withVariables(definition: CheckDefinition, given: readonly Variable[]): CheckDefinition {
  return { ...definition, variables: mergeVariables(given, definition.variables) }
}

/** Runs every check of the files once. Returns the exit code: 0, 1 when one fails or cannot be made, 2 when the input cannot be used. */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<number> {
  const concurrency = /^[1-9]\d{0,3}$/.test(options.concurrency) ? Number(options.concurrency) : null
  if (concurrency === null) {
    process.stderr.write(
      `--concurrency must be a whole number from 1 to 9999, was "${options.concurrency}"\n`,
    )
    return exitCodes.badSettings
  }
  const read = await Promise.all(files.map(readCheckFile))
  const given = readVariables(options, process.env)
  const faults = [...given.faults, ...read.flatMap((file) => file.faults)]
  if (faults.length > 0) {
    process.stderr.write(`${faults.join('\n')}\n`)
    return exitCodes.badSettings
  }
  const reports = await runAll(
    read.flatMap((file) => file.definitions).map((definition) => withVariables(definition, given.variables)),
    concurrency,
  )
  const text = options.json
    ? JSON.stringify(reports, null, 2)
    : [...reports.map(describeReport), '', describeTotals(reports)].join('\n')
  process.stdout.write(`${text}\n`)
  return reports.every((report) => isFine(report)) ? exitCodes.ok : exitCodes.failed
}
