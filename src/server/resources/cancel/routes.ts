import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { Cancellation, SessionCancellation } from '../../../contract/resources/session-cancellation.ts'
import { Text } from '../../../contract/schema.ts'
import { inputInvalid } from '../../http/api-error.ts'
import type { App } from '../../http/app-type.ts'
import { accountOf } from '../../http/authentication.ts'
import type { OnDemandOptions } from '../../on-demand/on-demand.ts'
import { cancelSession, type SessionToCancel } from './cancel-session.ts'

const params = Type.Object({ id: Text({ maxLength: 100 }) })
const Done = Type.String({ description: 'OK' })

const listOf = (sequenceId: readonly string[] | string | undefined) =>
  sequenceId === undefined ? undefined : [sequenceId].flat()

/** A text by itself is no JSON to the library. */
const answerOk = (reply: FastifyReply) =>
  reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send('OK')

/** Calls off what somebody asked for. */
export function cancelRoutes(app: App, options: OnDemandOptions): void {
  app.post(
    '/v1/cancel',
    {
      schema: {
        tags: ['Cancel'],
        summary: 'Cancel a session of checks or of tests',
        body: Cancellation,
        response: { 200: Done },
      },
    },
    async (request, reply) => {
      await cancelSession(options, { accountId: accountOf(request), ...named(request.body) })
      return answerOk(reply)
    },
  )
  for (const kind of ['check', 'test'] as const) {
    app.post(
      `/v1/${kind}-sessions/:id/cancel`,
      {
        schema: {
          tags: [`${kind === 'check' ? 'Check' : 'Test'} sessions`],
          summary: `Cancel a ${kind} session`,
          params,
          body: SessionCancellation,
          response: { 200: Done },
        },
      },
      async (request, reply) => {
        const { id } = request.params
        const runIds = listOf(request.body?.sequenceId)
        await cancelSession(options, { accountId: accountOf(request), kind, id, runIds })
        return answerOk(reply)
      },
    )
  }
}

/** @throws ApiError 400 unless it names one session */
function named({
  checkSessionId,
  testSessionId,
  sequenceId,
}: Cancellation): Omit<SessionToCancel, 'accountId'> {
  const runIds = listOf(sequenceId)
  if (checkSessionId !== undefined && testSessionId === undefined)
    return { kind: 'check', id: checkSessionId, runIds }
  if (testSessionId !== undefined && checkSessionId === undefined)
    return { kind: 'test', id: testSessionId, runIds }
  throw inputInvalid([
    { path: 'checkSessionId', text: 'either "checkSessionId" or "testSessionId" is required, and not both' },
  ])
}
