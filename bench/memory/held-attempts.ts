// Picket's runner without the agent: keeps as many attempts going as the parent says, and says the memory it takes.
import { systemClock } from '../../src/lib/clock.ts'
import { createRunCheck } from '../../src/runner/run-check.ts'
import { apiDefinition } from '../../test/support/api-definition.ts'
import { answerParent } from '../support/child.ts'

const [, , targetUrl = ''] = process.argv
const runCheck = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: 'bench' })
let wanted = 0
let running = 0

async function attempt(): Promise<void> {
  running += 1
  while (running <= wanted) await runCheck(apiDefinition(targetUrl), new AbortController().signal)
  running -= 1
}

answerParent((question) => {
  wanted = Math.max(wanted, Number(question))
  while (running < wanted) void attempt()
  const { rss, heapUsed } = process.memoryUsage()
  return { running, rss, heapUsed }
})
process.on('disconnect', () => process.exit(0))
process.send?.({})
