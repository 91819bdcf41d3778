import type { Conclusion, Result } from '../contract/result.ts'
import type { Run } from '../contract/run.ts'
import type { Logger } from '../lib/logger.ts'
import type { ServiceClient } from './service-client.ts'

/** The way of each run at LOG_LEVEL=DEBUG: ids, states and times, never an address, a value or a text of its target. */
export interface RunLog {
  readonly started: (run: Run) => void
  /** Its result is on disk. */
  readonly concluded: (result: Result) => void
}

export function createRunLog(logger: Logger): RunLog {
  return {
    started: (run) => logger.debug({ ...idsOf(run), attempt: run.attempt }, 'an attempt begins'),
    concluded: (result) => {
      const { runId, checkId, location, attempt, resultType, conclusion } = result
      const details = { runId, checkId, location, attempt, resultType, ...toldOf(conclusion) }
      logger.debug(details, 'an attempt is over and its result on disk')
    },
  }
}

/** The same service, with a word at that level about the runs that it gave and the results that it took. */
export function loggedService(service: ServiceClient, logger: Logger): ServiceClient {
  return {
    ...service,
    claim: async (request, signal, deadlineMs) => {
      const answer = await service.claim(request, signal, deadlineMs)
      for (const run of answer.runs) logger.debug({ ...idsOf(run), dueAt: run.dueAt }, 'a run was claimed')
      return answer
    },
    sendResults: async (body, signal) => {
      const answer = await service.sendResults(body, signal)
      const { accepted, refused } = answer
      logger.debug({ accepted, refused: refused.length }, 'results were uploaded')
      return answer
    },
  }
}

const idsOf = ({ id, checkId, location }: Run) => ({ runId: id, checkId, location })

function toldOf(conclusion: Conclusion) {
  if (conclusion.kind !== 'judged') return { verdict: conclusion.kind, reason: conclusion.reason }
  const { outcome, verdict } = conclusion
  return {
    verdict: verdict.state,
    responseTimeMs: outcome.timings.totalUs / 1000,
    failure: outcome.kind === 'observed' ? null : outcome.cause.class,
  }
}
