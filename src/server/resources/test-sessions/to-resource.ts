import type {
  TestSession,
  TestSessionListEntry,
  TestSessionResult,
} from '../../../contract/resources/test-session.ts'
import { dateTimeText, dateTimeTextOrNull } from '../../../contract/wire-time.ts'
import { isCancelled, testSessionStatus } from '../../../rules/session-status.ts'
import type { Schema } from '../../../storage/schema.ts'
import { stoppedAtOf } from '../../on-demand/run-results.ts'
import { type TestFacts, testFactsOf } from '../../on-demand/test-facts.ts'

type SessionRow = Schema['sessions']
type RunRow = Schema['checkRuns']

interface Shown {
  readonly origin: string
  /** Epoch milliseconds. */
  readonly now: number
  readonly groups: ErrorGroups
}

const linkOf = (origin: string, id: string) => `${origin}/v1/test-sessions/${id}`

/** By the ids of the runs. */
type ErrorGroups = ReadonlyMap<string, string>
const noGroups: ErrorGroups = new Map()

interface Place {
  readonly link: string
  readonly location: string
  readonly groups: ErrorGroups
}

/** A run whose check was deleted meanwhile is not there any more: it was called off. */
function toResult(
  { runId, checkId, name, checkType }: TestFacts['checks'][number],
  run: RunRow | undefined,
  { link, location, groups }: Place,
): TestSessionResult {
  const cancelled = run === undefined || isCancelled(run)
  const missed = run?.outcome === 'missed' && !cancelled
  return {
    testSessionResultId: runId,
    testSessionResultLink: `${link}/results/${runId}`,
    checkId,
    checkType,
    name,
    runLocation: location,
    resultType: run?.state === 'done' || !run ? 'FINAL' : 'PENDING',
    status: testSessionStatus(run ? [run] : [], false),
    hasErrors: run?.outcome === 'errored' || missed,
    hasFailures: run?.outcome === 'failed',
    isDegraded: run?.outcome === 'degraded',
    aborted: cancelled,
    errorGroupIds: [groups.get(runId) ?? []].flat(),
    reason: run ? run.reason : 'check-deleted',
  }
}

function resultsOf(
  session: SessionRow,
  runs: readonly RunRow[],
  { origin, groups }: { readonly origin: string; readonly groups: ErrorGroups },
): TestSessionResult[] {
  const { checks, runLocation: location } = testFactsOf(session)
  const byId = new Map(runs.map((run) => [run.id, run]))
  const link = linkOf(origin, session.id)
  return checks.map((check) => toResult(check, byId.get(check.runId), { link, location, groups }))
}

export function toResource(
  session: SessionRow,
  runs: readonly RunRow[],
  { origin, now, groups }: Shown,
): TestSession {
  const { id, name, startedAt, cancelledAt } = session
  const stoppedAt = stoppedAtOf(runs, startedAt)
  return {
    testSessionId: id,
    testSessionLink: linkOf(origin, id),
    name,
    status: testSessionStatus(runs, cancelledAt !== null),
    startedAt: dateTimeText(startedAt),
    stoppedAt: dateTimeTextOrNull(stoppedAt),
    timeElapsed: Math.max(0, (stoppedAt ?? now) - startedAt),
    metadata: testFactsOf(session).metadata,
    errorGroupIds: [...new Set(groups.values())],
    results: resultsOf(session, runs, { origin, groups }),
  }
}

export function toListEntry(session: SessionRow, runs: readonly RunRow[]): TestSessionListEntry {
  const { id, accountId, name, startedAt, cancelledAt } = session
  const { metadata, runLocation } = testFactsOf(session)
  const results = resultsOf(session, runs, { origin: '', groups: noGroups })
  const withStatus = (status: TestSessionResult['status']) =>
    results.filter((result) => result.status === status).map((result) => result.testSessionResultId)
  const stoppedAt = stoppedAtOf(runs, startedAt)
  const { repoUrl = null, commitId = null, commitOwner = null } = metadata
  const { commitMessage = null, branchName = null, environment = null } = metadata
  return {
    id,
    accountId,
    projectId: null,
    name,
    provider: 'API',
    running: withStatus('RUNNING'),
    passed: withStatus('PASSED'),
    failed: withStatus('FAILED'),
    cancelled: withStatus('CANCELLED'),
    status: testSessionStatus(runs, cancelledAt !== null),
    region: runLocation,
    repoUrl,
    commitId,
    commitOwner,
    commitMessage,
    branchName,
    environment,
    startedAt: dateTimeText(startedAt),
    stoppedAt: dateTimeTextOrNull(stoppedAt),
    created_at: dateTimeText(startedAt),
    updated_at: dateTimeTextOrNull(stoppedAt),
  }
}
