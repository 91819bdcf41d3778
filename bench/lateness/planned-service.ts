// A stand-in for the service with a plan: each check every so many seconds, spread as the service spreads them. Tells
// how late each run was.
import { apiDefinition } from '../../test/support/api-definition.ts'
import { PlannedRuns, plannedChecks } from '../support/planned-runs.ts'
import { isPassing, serveAgents } from '../support/stand-in.ts'

export interface RunLateness {
  readonly checkId: string
  readonly dueAt: number
  readonly startedAt: number
  /** As the agent reports it. */
  readonly queueUs: number
  readonly passing: boolean
}

const [, , targetUrl = '', count = '1000', seconds = '10'] = process.argv
const checks = plannedChecks(Number(count), Number(seconds))
const runs: RunLateness[] = []
let plan: PlannedRuns | null = null

await serveAgents({
  claim: (request, gone) => {
    plan ??= new PlannedRuns(checks, Number(seconds) * 1000, Date.now())
    return plan.claim(request, gone)
  },
  definition: (checkId) => apiDefinition(`${targetUrl}/${checkId}`),
  onResults: (results) => {
    for (const result of results) {
      const { checkId, dueAt, startedAt, queueUs } = result
      runs.push({ checkId, dueAt, startedAt, queueUs, passing: isPassing(result) })
    }
  },
  report: () => runs,
})
