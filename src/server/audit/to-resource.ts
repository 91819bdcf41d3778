import type { LedgerAudit } from '../../contract/resources/ledger-audit.ts'
import { dateTimeText } from '../../contract/wire-time.ts'
import { type AuditReport, isSound, type NamedSlot } from './audit.ts'

const named = (count: number, slots: readonly NamedSlot[]) => ({
  count,
  slots: slots.map((slot) => ({ ...slot, dueAt: dateTimeText(slot.dueAt) })),
})

/** The report as the API and `picket audit --json` show it. */
export function toAuditResource(report: AuditReport): LedgerAudit {
  const { missed, gaps, ...numbers } = report.counts
  return {
    from: dateTimeText(report.fromMs),
    to: dateTimeText(report.untilMs),
    sound: isSound(report),
    checks: report.checks,
    ...numbers,
    missed: Object.fromEntries([...missed].sort()),
    gaps: named(gaps, report.namedGaps),
    duplicates: named(report.doubles, report.namedDoubles),
    beyond: report.beyond,
    ofDeletedChecks: report.ofDeletedChecks,
  }
}
