import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { judge } from '../../src/rules/judge.ts'
import { toReport } from '../../src/runner/report.ts'
import { createRunCheck } from '../../src/runner/run-check.ts'
import { type EchoMode, startEchoTarget } from '../support/echo-target.ts'
import { toldTexts, tracesOf } from '../support/secret-traces.ts'
import { secretPlaces, taintedCheck } from '../support/tainted-check.ts'

const runCheck = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1.2.3' })
const { signal } = new AbortController()

test('no secret of a check is in its report, wherever it was and whatever the target tells', async () => {
  const modes = fc.constantFrom<EchoMode>('plain', 'redirected', 'cut')
  await fc.assert(
    fc.asyncProperty(secretPlaces, modes, async (secrets, mode) => {
      await using target = await startEchoTarget()
      const definition = taintedCheck(secrets, `${target.origin}/${mode}`)
      const outcome = await runCheck(definition, signal)
      expect(outcome.kind).toBe(mode === 'cut' ? 'unreachable' : 'observed')
      const received = target.received.join('\n')
      const text = toldTexts(toReport(definition, outcome, judge(definition, outcome)))
      for (const [place, secret] of Object.entries(secrets)) {
        expect(tracesOf(secret, received), `${place} was sent`).not.toEqual([])
        expect({ [place]: tracesOf(secret, text) }).toEqual({ [place]: [] })
      }
    }),
    { numRuns: 60 },
  )
}, 60_000)

test('what the target was told would be in the report, if it were not for the secrets', async () => {
  await using target = await startEchoTarget()
  const [secrets] = fc.sample(secretPlaces, { numRuns: 1, seed: 1 })
  if (!secrets) throw new Error('no sample')
  const text = toldTexts(await runCheck(taintedCheck(secrets, `${target.origin}/plain`), signal))
  for (const secret of Object.values(secrets)) expect(tracesOf(secret, text)).not.toEqual([])
})
