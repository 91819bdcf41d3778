import { type Static, Type } from 'typebox'
import { DateTimeText, InstantQuery } from '../wire-time.ts'

export const LedgerAuditQuery = Type.Object({ from: InstantQuery, to: Type.Optional(InstantQuery) })
export type LedgerAuditQuery = Static<typeof LedgerAuditQuery>

const Count = Type.Integer({ minimum: 0 })
const Slot = Type.Object({ checkId: Type.String(), location: Type.String(), dueAt: DateTimeText })
const NamedSlots = Type.Object({
  count: Count,
  slots: Type.Array(Slot, { description: 'the first hundred of them' }),
})

/** GET /v1/ledger/audit (ours): what became of every slot that the schedule expected. */
export const LedgerAudit = Type.Object({
  from: DateTimeText,
  to: DateTimeText,
  sound: Type.Boolean({ description: 'no gap, and no slot with two runs' }),
  checks: Count,
  expected: Count,
  passed: Count,
  degraded: Count,
  failed: Count,
  errored: Count,
  missed: Type.Record(Type.String(), Count, { description: 'by reason' }),
  open: Type.Integer({ minimum: 0, description: 'waiting, under way, or waiting for a retry' }),
  unplanned: Type.Integer({ minimum: 0, description: 'the planner has not come to them yet' }),
  gaps: NamedSlots,
  duplicates: NamedSlots,
  beyond: Type.Integer({
    minimum: 0,
    description: 'runs that were planned before a change of their check took them off the schedule',
  }),
  ofDeletedChecks: Type.Integer({
    minimum: 0,
    description: 'slots of checks that were deleted since, and the ledger with them',
  }),
})
export type LedgerAudit = Static<typeof LedgerAudit>
