import type { Result } from '../../src/contract/result.ts'
import { type MeasuredResult, type Rollup, rollUpAll } from '../../src/rules/rollup.ts'
import { measuresOf, statusCodeOf } from '../../src/rules/rollup-measures.ts'
import { dayOf } from '../../src/rules/rollup-time.ts'
import type { Schema } from '../../src/storage/schema.ts'
import { accountId } from './settings.ts'
import { byHour, inOrder, type StoredPlan, startOf } from './stored-plan.ts'
import { checkIdOf, locations, resultOf, timedId } from './stored-result.ts'

type ResultRow = Schema['checkResults']
type RollupRow = Schema['resultRollups']

const checkIds = new Map<number, string>()
function checkId(check: number): string {
  const known = checkIds.get(check) ?? checkIdOf(check)
  checkIds.set(check, known)
  return known
}

function storedResult(plan: StoredPlan, check: number, n: number): Result {
  const startedAt = startOf(plan, check, n)
  return resultOf(check, n, {
    id: timedId(startedAt, check, n, 1),
    runId: timedId(startedAt, check, n, 2),
    checkId: checkId(check),
    location: locations[n % locations.length] ?? '',
    startedAt,
  })
}

const stateOf = ({ conclusion }: Result) => (conclusion.kind === 'judged' ? conclusion.verdict.state : null)

function toResultRow(result: Result): ResultRow {
  const { conclusion } = result
  return {
    id: result.id,
    accountId,
    checkId: result.checkId,
    runId: result.runId,
    resultType: result.resultType,
    attempt: result.attempt,
    location: result.location,
    dueAt: result.dueAt,
    startedAt: result.startedAt,
    stoppedAt: result.stoppedAt,
    createdAt: result.stoppedAt + 200,
    hasFailures: stateOf(result) === 'failing' ? 1 : 0,
    hasErrors: 0,
    isDegraded: stateOf(result) === 'degraded' ? 1 : 0,
    overMaxResponseTime: 0,
    responseTimeMs: conclusion.kind === 'judged' ? conclusion.outcome.timings.totalUs / 1000 : null,
    details: JSON.stringify(result),
    statusCode: statusCodeOf(result) ?? 0,
    measures: JSON.stringify(measuresOf(result) ?? {}),
  }
}

/** Every result of the plan, in the order in which it came. */
export function* resultRows(plan: StoredPlan): Generator<ResultRow> {
  for (const { check, n } of inOrder(plan)) yield toResultRow(storedResult(plan, check, n))
}

const outcomes = { passing: 'passed', degraded: 'degraded', failing: 'failed' } as const

function toMeasured(result: Result): MeasuredResult {
  return {
    location: result.location,
    outcome: outcomes[stateOf(result) ?? 'failing'],
    statusCode: statusCodeOf(result) ?? 0,
    retries: 0,
    measures: measuresOf(result) ?? {},
  }
}

/** What the service makes of these results: figures of each hour and each day, check by check. */
export function* rollupRows(plan: StoredPlan): Generator<RollupRow> {
  for (let check = 0; check < plan.checks; check += 1) {
    const days = new Map<number, Rollup[]>()
    for (const [hour, numbers] of byHour(plan, check)) {
      const rollups = rollUpAll(
        [],
        numbers.map((n) => toMeasured(storedResult(plan, check, n))),
      )
      days.set(dayOf(hour), [...(days.get(dayOf(hour)) ?? []), ...rollups])
      yield* rollups.map((rollup) => toRollupRow(rollup, check, 'hour', hour))
    }
    for (const [day, hours] of days)
      yield* rollUpAll(hours, []).map((rollup) => toRollupRow(rollup, check, 'day', day))
  }
}

function toRollupRow(
  { sketches, ...rollup }: Rollup,
  check: number,
  span: RollupRow['span'],
  startsAt: number,
): RollupRow {
  const { total, ...measures } = sketches
  return {
    ...rollup,
    checkId: checkId(check),
    span,
    startsAt,
    total: total ? JSON.stringify(total) : null,
    measures: JSON.stringify(measures),
  }
}
