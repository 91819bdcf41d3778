import { Type } from 'typebox'
import { ErrorBody } from '../../../contract/errors.ts'
import { CheckResultResource } from '../../../contract/resources/check-result.ts'
import { CompletionQuery } from '../../../contract/resources/check-session.ts'
import { TestSession, TestSessionTrigger } from '../../../contract/resources/test-session.ts'
import { Text } from '../../../contract/schema.ts'
import type { Schema } from '../../../storage/schema.ts'
import { listRunsOfSession } from '../../../storage/session-runs.ts'
import { findSession } from '../../../storage/sessions.ts'
import { found } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import type { OnDemandOptions } from '../../on-demand/on-demand.ts'
import { completedRuns } from '../../on-demand/wait.ts'
import { errorGroupsOfRuns } from './error-groups-of-runs.ts'
import { listRoute } from './list-route.ts'
import { showResult, type ToCheckResult } from './show-result.ts'
import { startTest } from './start-test.ts'
import { toResource } from './to-resource.ts'

const tags = ['Test sessions']
const path = '/v1/test-sessions'
const params = Type.Object({ testSessionId: Text({ maxLength: 100 }) })
const ByResult = Type.Object({ testSessionId: Text({ maxLength: 100 }), resultId: Text({ maxLength: 100 }) })

export interface TestSessionOptions extends OnDemandOptions {
  readonly toCheckResult: ToCheckResult
}

/** Runs checks as a test: with settings of its own, and without a word of it in the checks' own results and status. */
export function testSessionRoutes(app: App, options: TestSessionOptions): void {
  app.post(
    `${path}/trigger`,
    {
      schema: {
        tags,
        summary: 'Run checks as a test',
        body: TestSessionTrigger,
        response: { 201: TestSession, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { session, runs } = await startTest(options, accountOf(request), request.body)
      return reply.code(201).send(await show(options, session, runs))
    },
  )
  listRoute(app, { db: options.database.kysely, path, tags })
  readRoutes(app, options)
}

async function show(
  { database, origin, clock }: OnDemandOptions,
  session: Schema['sessions'],
  runs: readonly Schema['checkRuns'][],
): Promise<TestSession> {
  const groups = await errorGroupsOfRuns(database.kysely, runs)
  return toResource(session, runs, { origin: origin(), now: clock.now(), groups })
}

function readRoutes(app: App, options: TestSessionOptions): void {
  const db = options.database.kysely
  const find = async (accountId: string, id: string) =>
    found(await findSession(db, accountId, 'test', id), 'test session')

  app.get(
    `${path}/:testSessionId`,
    { schema: { tags, params, response: { 200: TestSession } } },
    async (request) => {
      const session = await find(accountOf(request), request.params.testSessionId)
      return show(options, session, await listRunsOfSession(db, session.id))
    },
  )

  app.get(
    `${path}/:testSessionId/completion`,
    {
      schema: {
        tags,
        summary: 'Wait for the end of a test session',
        params,
        querystring: CompletionQuery,
        response: { 200: TestSession, 408: ErrorBody },
      },
    },
    async (request, reply) => {
      const accountId = accountOf(request)
      const { id } = await find(accountId, request.params.testSessionId)
      const runs = await completedRuns(options, reply, id, request.query.maxWaitSeconds)
      // Read again: it may have been cancelled meanwhile.
      return show(options, await find(accountId, id), runs)
    },
  )

  app.get(
    `${path}/:testSessionId/results/:resultId`,
    { schema: { tags, params: ByResult, response: { 200: CheckResultResource } } },
    async (request) => {
      const session = await find(accountOf(request), request.params.testSessionId)
      return showResult(db, session, request.params.resultId, options.toCheckResult)
    },
  )
}
