// Picket's runner without the agent: attempts are made and observed; nothing is claimed, judged, kept or sent.
import { systemClock } from '../../src/lib/clock.ts'
import { createRunCheck } from '../../src/runner/run-check.ts'
import { countLoop } from './counted-loop.ts'
import { definitionOf } from './definition.ts'

const runCheck = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: 'bench' })

await countLoop(async (url) => {
  const outcome = await runCheck(definitionOf(url), new AbortController().signal)
  if (outcome.kind !== 'observed') throw new Error(`the target was not observed: ${outcome.cause.class}`)
})
