import { type ExpressionBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** Whose runs an agent may have, where, and which it can carry out. */
export interface RunFilter {
  /** Null: runs of every account, at data-center locations alone. */
  readonly accountId: string | null
  readonly locations: readonly string[]
  readonly checkTypes: readonly string[]
  readonly runtimes: readonly string[]
}

type Runs = ExpressionBuilder<Schema, 'checkRuns'>

/** Written out, not bound: the index of open runs serves only a query that says so in these words. */
export const isOpen = sql<boolean>`state <> 'done'`

/** Nothing fits it: its lists need not be sent to the database, which knows no empty list. */
export const fitsNothing = ({ locations, checkTypes }: RunFilter): boolean =>
  locations.length === 0 || checkTypes.length === 0

export function fits(filter: RunFilter) {
  const { accountId, locations, checkTypes, runtimes } = filter
  return (eb: Runs) =>
    eb.and([
      isOpen,
      accountId === null ? eb('dataCenter', '=', 1) : eb('accountId', '=', accountId),
      eb('location', 'in', locations),
      eb('checkType', 'in', checkTypes),
      eb.or([eb('runtime', 'is', null), ...(runtimes.length > 0 ? [eb('runtime', 'in', runtimes)] : [])]),
    ])
}
