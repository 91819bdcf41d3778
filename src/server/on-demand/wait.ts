import type { FastifyReply } from 'fastify'
import { isComplete } from '../../rules/session-status.ts'
import type { Schema } from '../../storage/schema.ts'
import { listRunsOfSession } from '../../storage/session-runs.ts'
import { ApiError } from '../http/api-error.ts'
import type { OnDemandOptions } from './on-demand.ts'

/** Another server on the same database may have taken the results: look again after this long. */
const lookAgainMs = 250

/** Aborts when the time is up, whoever asked is gone, or the service stops. */
export function patience(options: OnDemandOptions, reply: FastifyReply, seconds: number): AbortSignal {
  const leaving = new AbortController()
  reply.raw.once('close', () => leaving.abort())
  return AbortSignal.any([options.closing, leaving.signal, AbortSignal.timeout(seconds * 1000)])
}

/** The session's runs once all have ended, or as they are when the signal aborts. Never rejects for the signal. */
export async function runsWhenComplete(
  options: OnDemandOptions,
  sessionId: string,
  signal: AbortSignal,
): Promise<Schema['checkRuns'][]> {
  for (;;) {
    const runs = await listRunsOfSession(options.database.kysely, sessionId)
    if (isComplete(runs) || signal.aborted) return runs
    await options.planned.wait(lookAgainMs, signal)
  }
}

/** The session's runs, all of them ended. @throws ApiError 408 when that takes longer than `seconds` */
export async function completedRuns(
  options: OnDemandOptions,
  reply: FastifyReply,
  sessionId: string,
  seconds: number,
): Promise<Schema['checkRuns'][]> {
  const runs = await runsWhenComplete(options, sessionId, patience(options, reply, seconds))
  if (isComplete(runs)) return runs
  throw new ApiError('NOT_COMPLETE', 'The session is not complete yet: try again')
}
