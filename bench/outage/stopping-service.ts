// A stand-in for the service with a plan that stops when it is told to, breaking every connection, and comes back: as
// the service does, it then plans what is due and no slot older than its interval. Tells what it took in, and when.
import { apiDefinition } from '../../test/support/api-definition.ts'
import { PlannedRuns, plannedChecks } from '../support/planned-runs.ts'
import { isPassing, location, serveAgents } from '../support/stand-in.ts'
import { questions, type TakenResult } from './messages.ts'

const [, , targetUrl = '', count = '1000', seconds = '10'] = process.argv
const checks = plannedChecks(Number(count), Number(seconds))
const intervalMs = Number(seconds) * 1000
const taken: TakenResult[] = []
let stopping = new AbortController()
let plan: PlannedRuns | null = null

await serveAgents({
  claim: (request, gone) => {
    plan ??= new PlannedRuns(checks, intervalMs, Date.now() - (taken.length > 0 ? intervalMs : 0))
    return plan.claim(request, AbortSignal.any([gone, stopping.signal]))
  },
  definition: (checkId) => apiDefinition(`${targetUrl}/${checkId}`),
  schedules: () => ({
    locations: [location],
    checks: checks.map(({ id: checkId, phaseMs }) => ({
      ...{ checkId, version: 1, intervalMs, phaseMs },
      ...{ locations: [location], runParallel: false, windows: [] },
    })),
    windows: [],
  }),
  onResults: (results) => {
    const receivedAt = Date.now()
    for (const result of results) {
      const { runId, checkId, dueAt, queueUs } = result
      taken.push({ runId, checkId, dueAt, queueUs, receivedAt, passing: isPassing(result) })
    }
  },
  interfere: async (_path, response) => {
    if (!stopping.signal.aborted) return 'none'
    response.destroy()
    return 'answered'
  },
  report: (question) => {
    const asked = JSON.stringify(question)
    if (asked === JSON.stringify(questions.stop)) {
      stopping.abort()
      plan = null
    }
    if (asked === JSON.stringify(questions.start)) stopping = new AbortController()
    return asked === JSON.stringify(questions.taken) ? taken : null
  },
})
