// Picket's runner without the agent: attempts are made and observed; nothing is claimed, judged, kept or sent.
import { systemClock } from '../../src/lib/clock.ts'
import { createRunCheck } from '../../src/runner/run-check.ts'
import { apiDefinition } from '../../test/support/api-definition.ts'
import { countLoop } from './counted-loop.ts'

const runCheck = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: 'bench' })

await countLoop(async (url) => {
  const outcome = await runCheck(apiDefinition(url), new AbortController().signal)
  if (outcome.kind !== 'observed') throw new Error(`the target was not observed: ${outcome.cause.class}`)
})
