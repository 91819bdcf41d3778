import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { TriggeredRun } from '../../../contract/resources/trigger.ts'
import { Text } from '../../../contract/schema.ts'
import { checkSessionStatus } from '../../../rules/session-status.ts'
import type { Schema } from '../../../storage/schema.ts'
import { notFound } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import type { CountStranger } from '../../http/limit-strangers.ts'
import type { OnDemandOptions } from '../../on-demand/on-demand.ts'
import { endedRuns, toSessionResult } from '../../on-demand/run-results.ts'
import { patience, runsWhenComplete } from '../../on-demand/wait.ts'
import { type Called, callTrigger, findCalled } from './call-trigger.ts'

const tags = ['Triggers']
const callsAMinute = 10
const longestWaitSeconds = 30
const token = Text({ minLength: 1, maxLength: 100 })
const description = `Runs at once, and waits for the end of it for at most ${longestWaitSeconds} seconds. Rate limit: ${callsAMinute} requests in 60 seconds for each token.`
const response = { 200: TriggeredRun, 503: TriggeredRun }

const tokenOf = ({ params }: FastifyRequest): string =>
  typeof params === 'object' && params && 'token' in params ? String(params.token) : ''

interface PublicTriggerOptions extends OnDemandOptions {
  readonly countStranger: CountStranger
}

/** The URLs of triggers: whoever has one needs no key (semantics §2). */
export function publicTriggerRoutes(app: App, options: PublicTriggerOptions): void {
  // One for all four: a token has its limit, whichever method comes.
  const onRequest = app.rateLimit({ max: callsAMinute, timeWindow: 60_000, keyGenerator: tokenOf })
  const limited = { config: { rateLimit: false }, onRequest, exposeHeadRoute: false } as const

  for (const method of ['GET', 'POST'] as const) {
    app.route({
      ...limited,
      method,
      url: '/checks/:checkId/trigger/:token',
      schema: {
        tags,
        summary: `Run a check, by ${method}`,
        description,
        params: Type.Object({ checkId: Text({ maxLength: 100 }), token }),
        response,
      },
      handler: async (request, reply) => {
        const { checkId, token: ofCheck } = request.params
        const trigger = await called(options, request, reply, { token: ofCheck, target: { checkId } })
        return answer(options, reply, trigger)
      },
    })
    app.route({
      ...limited,
      method,
      url: '/check-groups/:groupId/trigger/:token',
      schema: {
        tags,
        summary: `Run the checks of a group, by ${method}`,
        description,
        params: Type.Object({
          groupId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
          token,
        }),
        response,
      },
      handler: async (request, reply) => {
        const { groupId, token: ofGroup } = request.params
        const trigger = await called(options, request, reply, { token: ofGroup, target: { groupId } })
        return answer(options, reply, trigger)
      },
    })
  }
}

/** @throws ApiError 404 where there is none, 429 to whoever tries many */
async function called(
  options: PublicTriggerOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  named: Called,
): Promise<Schema['triggers']> {
  const trigger = await findCalled(options, named)
  if (trigger) return trigger
  await options.countStranger(request, reply)
  throw notFound('trigger')
}

const nothingToRun: TriggeredRun = {
  hasFailures: false,
  hasErrors: true,
  isDegraded: false,
  message: 'There is nothing to run: no check here has a location, and a type that agents can carry out',
  status: 'CANCELLED',
  results: [],
}

/** 200 only when everything passed, or is degraded; what is not over in time goes on by itself. */
async function answer(options: OnDemandOptions, reply: FastifyReply, trigger: Schema['triggers']) {
  const signal = patience(options, reply, longestWaitSeconds)
  const started = await callTrigger(options, trigger)
  if (!started) return reply.code(503).send(nothingToRun)
  const { session } = started
  const runs = await runsWhenComplete(options, session.id, signal)
  const status = checkSessionStatus(runs, false)
  const links = { origin: options.origin(), session: options.origin() }
  const ended = await endedRuns(options.database.kysely, runs, session.startedAt)
  const results = ended.map((run) => toSessionResult(run, links))
  const hasFailures = results.some((result) => result.hasFailures)
  const passed = status === 'PASSED' || status === 'DEGRADED'
  return reply.code(passed ? 200 : 503).send({
    hasFailures,
    hasErrors: results.some((result) => result.hasErrors) || !(passed || hasFailures),
    isDegraded: results.some((result) => result.isDegraded),
    message: null,
    status,
    results,
  })
}
