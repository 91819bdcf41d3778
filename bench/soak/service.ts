// A stand-in for the service with a plan and with moods: of every minute of load it is well for 40 seconds, then answers
// 503, then slowly, then breaks connections off. Counts what it gave and what came back.
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { RetryStrategy } from '../../src/contract/retry-strategy.ts'
import type { Run } from '../../src/contract/run.ts'
import { apiDefinition } from '../../test/support/api-definition.ts'
import { PlannedRuns, plannedChecks } from '../support/planned-runs.ts'
import { type Interference, serveAgents } from '../support/stand-in.ts'

export interface SoakCounts {
  /** Runs that an agent was given. */
  readonly given: number
  /** Runs whose final result came. */
  readonly concluded: number
  /** Results that came once more, as they may when an answer was lost. */
  readonly again: number
}

const [, , count = '1500', ...urls] = process.argv
const seconds = 10
const checks = plannedChecks(Number(count), seconds)
const urlOf = new Map(checks.map(({ id }, index) => [id, urls[index % urls.length] ?? '']))
const retryStrategy: RetryStrategy = {
  type: 'SINGLE_RETRY',
  baseBackoffSeconds: 2,
  sameRegion: true,
  maxRetries: 1,
  maxDurationSeconds: 600,
}
const slowMs = 2000

const given = new Set<string>()
const concluded = new Set<string>()
const taken = new Set<string>()
let again = 0
let plan: PlannedRuns | null = null
let begunMs = 0

type Mood = 'well' | 'refusing' | 'slow' | 'broken'

function mood(): Mood {
  const second = ((performance.now() - begunMs) / 1000) % 60
  if (second < 40) return 'well'
  if (second < 45) return 'refusing'
  return second < 55 ? 'slow' : 'broken'
}

async function interfere(path: string, response: ServerResponse): Promise<Interference> {
  const now = plan === null ? 'well' : mood()
  if (now === 'slow') await wait(slowMs)
  if (now === 'well' || now === 'slow') return response.destroyed ? 'answered' : 'none'
  // Runs whose answer is lost would be nobody's until their lease ends; results come again.
  if (now === 'broken' && path.endsWith('/results') && Math.random() < 0.5) return 'lost'
  if (now === 'broken') response.destroy()
  else response.writeHead(503).end('{}')
  return 'answered'
}

async function nothing(waitMs: number, gone: AbortSignal): Promise<readonly Run[]> {
  const until = Date.now() + waitMs
  while (plan === null && Date.now() < until && !gone.aborted) await wait(50)
  return []
}

await serveAgents({
  interfere,
  claim: async (request, gone) => {
    if (plan === null) return nothing(request.waitMs, gone)
    const runs = await plan.claim({ ...request, waitMs: Math.min(request.waitMs, 1000) }, gone)
    for (const { id } of runs) given.add(id)
    return runs
  },
  definition: (checkId) => {
    const url = urlOf.get(checkId) ?? ''
    // Of a quarter of the checks, what fails is tried again.
    return { ...apiDefinition(url), retryStrategy: checkId < '4' ? retryStrategy : null }
  },
  onResults: (results) => {
    for (const { id, runId, resultType } of results) {
      if (taken.has(id)) again += 1
      taken.add(id)
      if (resultType === 'FINAL') concluded.add(runId)
    }
  },
  /** 1 begins the load, 0 ends it, anything else is only a question. */
  report: (load): SoakCounts => {
    if (load === 1) {
      plan = new PlannedRuns(checks, seconds * 1000, Date.now())
      begunMs = performance.now()
    }
    if (load === 0) plan = null
    return { given: given.size, concluded: concluded.size, again }
  },
})
