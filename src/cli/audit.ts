import { parseInstant } from '../contract/wire-time.ts'
import { systemClock } from '../lib/clock.ts'
import { exitCodes, explain } from '../lib/daemon.ts'
import type { Span } from '../rules/audit.ts'
import { type AuditReport, audit, isSound, type NamedSlot } from '../server/audit/audit.ts'
import { toAuditResource } from '../server/audit/to-resource.ts'
import { readServerConfig } from '../server/config.ts'
import type { Database } from '../storage/database.ts'
import { withStorage } from './open-storage.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface AuditOptions {
  readonly from?: string
  readonly to?: string
  readonly json?: boolean
}

const dayMs = 24 * 60 * 60_000
/** The least that runs are kept for, whatever the setting says (server/loops/housekeeping). */
const leastKeptDays = 14

/** The last day where nothing else is asked for; a text says why the options are none. */
function spanOf({ from, to }: AuditOptions, now: number, keptDays: number): Span | string {
  const toMs = to === undefined ? now : parseInstant(to)
  if (toMs === null) return '--to must be an ISO 8601 date or a UNIX timestamp'
  const untilMs = Math.min(now, toMs)
  const fromMs = from === undefined ? untilMs - dayMs : parseInstant(from)
  if (fromMs === null) return '--from must be an ISO 8601 date or a UNIX timestamp'
  if (fromMs > untilMs) return '--from must be before --to and not in the future'
  if (fromMs <= now - keptDays * dayMs)
    return `--from must be less than ${keptDays} days ago: runs are kept no longer`
  return { fromMs, untilMs }
}

const at = (ms: number) => new Date(ms).toISOString()

function slotLines(title: string, count: number, named: readonly NamedSlot[]): string[] {
  if (count === 0) return []
  const more = count > named.length ? [`  … and ${count - named.length} more`] : []
  return [
    title,
    ...named.map(({ checkId, location, dueAt }) => `  ${checkId}  ${location}  ${at(dueAt)}`),
    ...more,
  ]
}

/** Several lines for a person. */
function describe(report: AuditReport): string {
  const { counts, doubles, beyond, ofDeletedChecks } = report
  const row = (name: string, n: number) => `${name.padEnd(28)} ${String(n).padStart(10)}`
  return [
    `${at(report.fromMs)} to ${at(report.untilMs)}, ${report.checks} checks`,
    row('slots expected', counts.expected),
    row('  passed', counts.passed),
    row('  degraded', counts.degraded),
    row('  failed', counts.failed),
    row('  errored', counts.errored),
    ...[...counts.missed].sort().map(([reason, n]) => row(`  missed: ${reason}`, n)),
    row('  open', counts.open),
    row('  not planned yet', counts.unplanned),
    row('gaps', counts.gaps),
    row('duplicates', doubles),
    ...(beyond > 0 ? [row('runs beyond the schedule', beyond)] : []),
    ...(ofDeletedChecks > 0 ? [row('slots of deleted checks', ofDeletedChecks)] : []),
    ...slotLines('Gaps:', counts.gaps, report.namedGaps),
    ...slotLines('Duplicates:', doubles, report.namedDoubles),
  ].join('\n')
}

/**
 * Prints what became of every slot that was expected in a span, of all accounts. Returns the exit code: 1 where the ledger
 * has a gap or a duplicate and for nothing else.
 */
export async function runAudit(env: Env, options: AuditOptions): Promise<number> {
  try {
    const { resultRetentionDays } = readServerConfig(env)
    const span = spanOf(options, systemClock.now(), Math.max(leastKeptDays, resultRetentionDays))
    if (typeof span === 'string') return refuse(span)
    return await withStorage(env, (database) => printAudit(database, span, options))
  } catch (error) {
    return refuse(explain(error).text)
  }
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`)
  return exitCodes.badSettings
}

async function printAudit({ kysely }: Database, span: Span, { json }: AuditOptions): Promise<number> {
  const report = await audit(kysely, { accountId: null, ...span })
  process.stdout.write(`${json ? JSON.stringify(toAuditResource(report), null, 2) : describe(report)}\n`)
  return isSound(report) ? exitCodes.ok : exitCodes.failed
}
