import { type ExpressionBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** Whose runs an agent may touch, and where. */
export interface RunReach {
  /** Null: runs of every account, at data-center locations alone. */
  readonly accountId: string | null
  readonly locations: readonly string[]
}

/** Which of them it can carry out. */
export interface RunFilter extends RunReach {
  readonly checkTypes: readonly string[]
  readonly runtimes: readonly string[]
}

type Runs = ExpressionBuilder<Schema, 'checkRuns'>

/** Written out, not bound: the index of open runs serves only a query that says so in these words. */
export const isOpen = sql<boolean>`state <> 'done'`

/** Nothing fits it: its lists need not be sent to the database, which knows no empty list. */
export const fitsNothing = ({ locations, checkTypes }: RunFilter): boolean =>
  locations.length === 0 || checkTypes.length === 0

export function isWithin({ accountId, locations }: RunReach) {
  return (eb: Runs) =>
    eb.and([
      accountId === null ? eb('dataCenter', '=', 1) : eb('accountId', '=', accountId),
      eb('location', 'in', locations),
    ])
}

export function fits(filter: RunFilter) {
  const { checkTypes, runtimes } = filter
  return (eb: Runs) =>
    eb.and([
      isOpen,
      isWithin(filter)(eb),
      eb('checkType', 'in', checkTypes),
      eb.or([eb('runtime', 'is', null), ...(runtimes.length > 0 ? [eb('runtime', 'in', runtimes)] : [])]),
    ])
}
