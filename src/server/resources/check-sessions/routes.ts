import { Type } from 'typebox'
import { ErrorBody } from '../../../contract/errors.ts'
import {
  CheckSessions,
  CheckSessionTrigger,
  CheckSessionWithResults,
  CompletionQuery,
} from '../../../contract/resources/check-session.ts'
import { Text } from '../../../contract/schema.ts'
import type { Schema } from '../../../storage/schema.ts'
import { listRunsOfSession } from '../../../storage/session-runs.ts'
import { findSession } from '../../../storage/sessions.ts'
import { found } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import type { OnDemandOptions } from '../../on-demand/on-demand.ts'
import { attemptResults, endedRuns, toSessionResult } from '../../on-demand/run-results.ts'
import { selectChecks } from '../../on-demand/select-checks.ts'
import { assertSome, checkSessionOf, startSessions } from '../../on-demand/start-sessions.ts'
import { targetOf } from '../../on-demand/target.ts'
import { completedRuns } from '../../on-demand/wait.ts'
import { linkOf, toResource } from './to-resource.ts'

const tags = ['Check sessions']
const params = Type.Object({ checkSessionId: Text({ maxLength: 100 }) })
type Params = { checkSessionId: string }

/** Runs checks because somebody asks for it, and tells what became of them; both versions of the API speak alike. */
export function checkSessionRoutes(app: App, options: OnDemandOptions): void {
  for (const path of ['/v1/check-sessions', '/v2/check-sessions']) {
    triggerRoute(app, path, options)
    readRoutes(app, path, options)
  }
}

function triggerRoute(app: App, path: string, options: OnDemandOptions): void {
  app.post(
    `${path}/trigger`,
    {
      schema: {
        tags,
        summary: 'Run checks now',
        body: CheckSessionTrigger,
        response: { 201: CheckSessions, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const accountId = accountOf(request)
      const target = targetOf(request.body.target, false)
      const started = await startSessions(options, accountId, async (db, input) => {
        const selected = await selectChecks(db, accountId, target)
        assertSome(selected)
        return selected.map((one) => checkSessionOf(one, 'TRIGGER_API', input))
      })
      const shown = { origin: options.origin(), now: options.clock.now() }
      return reply
        .code(201)
        .send({ sessions: started.map(({ session, runs }) => toResource(session, runs, shown)) })
    },
  )
}

function readRoutes(app: App, path: string, options: OnDemandOptions): void {
  const db = options.database.kysely

  const find = async (accountId: string, { checkSessionId }: Params) =>
    found(await findSession(db, accountId, 'check', checkSessionId), 'check session')

  async function show(session: Schema['sessions'], runs: readonly Schema['checkRuns'][]) {
    const origin = options.origin()
    const links = { origin, session: linkOf(origin, session.id) }
    const attempts = await attemptResults(db, runs, session.startedAt, links)
    const ended = await endedRuns(db, runs, session.startedAt)
    return {
      ...toResource(session, runs, { origin, now: options.clock.now() }),
      results: [...attempts, ...ended.map((run) => toSessionResult(run, links))],
    }
  }

  app.get(
    `${path}/:checkSessionId`,
    { schema: { tags, params, response: { 200: CheckSessionWithResults } } },
    async (request) => {
      const session = await find(accountOf(request), request.params)
      return show(session, await listRunsOfSession(db, session.id))
    },
  )

  app.get(
    `${path}/:checkSessionId/completion`,
    {
      schema: {
        tags,
        summary: 'Wait for the end of a check session',
        params,
        querystring: CompletionQuery,
        response: { 200: CheckSessionWithResults, 408: ErrorBody },
      },
    },
    async (request, reply) => {
      const accountId = accountOf(request)
      const { id } = await find(accountId, request.params)
      const runs = await completedRuns(options, reply, id, request.query.maxWaitSeconds)
      // Read again: it may have been cancelled meanwhile.
      return show(await find(accountId, request.params), runs)
    },
  )
}
