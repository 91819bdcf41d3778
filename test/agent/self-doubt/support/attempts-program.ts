import { createServer, type Server, type ServerResponse } from 'node:http'
import { createSelfDoubt } from '../../../../src/agent/self-doubt/self-doubt.ts'
import { StallWatch } from '../../../../src/agent/stall-watch.ts'
import { AppError } from '../../../../src/lib/app-error.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { createLogger } from '../../../../src/lib/logger.ts'
import { judge } from '../../../../src/rules/judge.ts'
import { createRunCheck } from '../../../../src/runner/run-check.ts'
import { apiDefinition } from '../../../support/api-definition.ts'
import type { Attempted, AttemptsPlan } from './attempts-process.ts'

// A process of its own that makes the attempts of its first argument, as the agent does, and prints how each ended.
const plan: AttemptsPlan = JSON.parse(process.argv[2] ?? '')
const { nameServers, attemptMs = 30_000, canaries = [], ipFamily = 'IPv4', useOsDnsResolver = false } = plan
const clock = systemClock
const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
const named = nameServers ? { nameServers } : {}
const runCheck = createRunCheck({ clock, useOsDnsResolver, version: '1.2.3', attemptMs, ...named })
const stalls = new StallWatch(() => clock.monotonicMs())
const selfDoubt = createSelfDoubt({
  logger,
  monotonicMs: () => clock.monotonicMs(),
  stalledMsSince: (from, to) => stalls.stalledMsSince(from, to),
  useOsDnsResolver,
  canaries,
  defaultCanary: null,
  ...named,
})

/** Answers no request before so many have come, and each at once after that. */
function holdBack(wanted: number): Server {
  const held: ServerResponse[] = []
  let came = 0
  return createServer((_request, response) => {
    held.push(response)
    came += 1
    if (came >= wanted) for (const one of held.splice(0)) one.end()
  })
}

async function attempt(url: string): Promise<Attempted> {
  const definition = apiDefinition(url, { ipFamily })
  const begunMs = clock.monotonicMs()
  try {
    const outcome = await runCheck(definition, new AbortController().signal)
    const { verdict } = judge(definition, outcome)
    if (outcome.kind === 'observed') return { kind: 'observed' }
    const { class: failure, code } = outcome.cause
    const fault = await selfDoubt.ownFault({ outcome, verdict, definition, begunMs })
    const tookMs = Math.round(clock.monotonicMs() - begunMs)
    return {
      kind: 'failed',
      failure,
      code,
      reason: fault?.reason ?? null,
      message: fault?.message ?? null,
      tookMs,
    }
  } catch (error) {
    return { kind: 'thrown', code: error instanceof AppError ? error.code : String(error) }
  }
}

let server: Server | null = null
let { url } = plan
if (plan.answerAfter !== undefined) {
  server = holdBack(plan.answerAfter)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address === 'object') url = `http://127.0.0.1:${address?.port}/`
}
const ended = await Promise.all(
  Array.from({ length: plan.attempts ?? 1 }, (_, at) => attempt(url.replace('{n}', String(at)))),
)
server?.close().closeAllConnections()
stalls.close()
selfDoubt.close()
process.stdout.write(`${JSON.stringify(ended)}\n`)
