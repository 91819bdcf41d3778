import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { CheckDefinition } from '../../src/contract/run.ts'
import { AppError } from '../../src/lib/app-error.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { createRunCheck, type RunCheck } from '../../src/runner/run-check.ts'
import { dueRun } from '../support/due-run.ts'
import { type EchoTarget, startEchoTarget } from '../support/echo-target.ts'
import { toldTexts } from '../support/secret-traces.ts'
import { type SecretPlaces, secretPlaces, taintedCheck } from '../support/tainted-check.ts'
import { agentKey, startFakeService, startTestAgent } from '../support/test-agent.ts'
import { expectNoTraces, filesIn, toldBy } from '../support/told-by-agent.ts'

const [faulty, telltale] = ['a check that our runner breaks on', 'one whose secrets are in the error']
const privateKey = 'k9Qz7-the-private-key'
const passphrase = 'k9Qz7-its-passphrase'
const clientCertificates = [
  { host: '*.elsewhere.example', certificate: 'a certificate', key: privateKey, passphrase, ca: null },
]
const waiting = { timeout: 20_000, interval: 50 }

/** The real one, but for checks that it breaks on. */
const realRunCheck = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1.2.3' })
const runCheck: RunCheck = (definition, ...rest) => {
  if (definition.name === faulty) return Promise.reject(new TypeError('no such thing'))
  if (definition.name === telltale) {
    const cause = new TypeError(`cannot read ${JSON.stringify(definition.variables)}`)
    return Promise.reject(
      new AppError('RUNNER_FAULT', 'The agent could not carry out the request', { cause }),
    )
  }
  return realRunCheck(definition, ...rest)
}

/** Checks that pass, fail, break off, cannot be reached, are not filled in, and break the runner. */
function checksOf(secrets: SecretPlaces, { origin }: EchoTarget): CheckDefinition[] {
  const reachable = ['plain', 'redirected', 'cut'].map((mode) => taintedCheck(secrets, `${origin}/${mode}`))
  const [check] = reachable
  if (!check) throw new Error('no check')
  const missing = { ...check.request, body: '{{{body}}} {{nowhere}}' }
  const checks = [
    ...reachable,
    taintedCheck(secrets, 'http://127.0.0.1:1'),
    { ...check, request: missing },
    { ...check, name: faulty },
  ]
  return checks.map((definition) => ({ ...definition, checkId: newId(), clientCertificates }))
}

test('no secret leaves an agent or is written down by it, whatever happens to its checks', async () => {
  const target = await startEchoTarget()
  onTestFinished(() => target[Symbol.asyncDispose]())
  const service = await startFakeService()
  const samples = fc.sample(secretPlaces, 5)
  const checks = samples.flatMap((secrets) => checksOf(secrets, target))
  service.define(...checks)
  service.faults.set('results', 503)
  const agent = await startTestAgent({ service, runCheck, env: { LOG_LEVEL: 'DEBUG' } })
  service.enqueue(...checks.map(({ checkId }) => dueRun({ checkId })))

  const depth = `"depth":${checks.length}`
  await vi.waitFor(async () => expect((await agent.health('/health')).text).toContain(depth), waiting)
  const unsent = await filesIn(agent.dataDir)
  expect(unsent).not.toContain('<redacted>')
  service.faults.delete('results')
  await vi.waitFor(() => expect(service.results).toHaveLength(checks.length), waiting)
  await vi.waitFor(() => expect(service.errorReports).not.toEqual([]), waiting)

  expect(toldTexts(service.results)).toContain('<redacted>')
  const kinds = service.results.map(({ conclusion }) =>
    conclusion.kind === 'judged' ? conclusion.outcome.kind : conclusion.kind,
  )
  const expected = ['observed', 'observed', 'unreachable', 'unreachable', 'unreachable', 'errored']
  expect(kinds.toSorted()).toEqual(samples.flatMap(() => expected).toSorted())
  const secrets = [...samples.flatMap(Object.values<string>), agentKey, privateKey, passphrase]
  expectNoTraces(secrets, await toldBy(agent, unsent))
}, 60_000)

test('an error that has a secret in its message does not tell it either', async () => {
  const service = await startFakeService()
  const [secrets] = fc.sample(secretPlaces, 1)
  if (!secrets) throw new Error('no sample')
  const check = { ...taintedCheck(secrets, 'http://127.0.0.1:1'), name: telltale }
  service.define(check)
  const agent = await startTestAgent({ service, runCheck, env: { LOG_LEVEL: 'DEBUG' } })
  service.enqueue(dueRun({ checkId: check.checkId }))
  await vi.waitFor(() => expect(service.errorReports).toHaveLength(1), waiting)
  await vi.waitFor(() => expect(service.results).toHaveLength(1), waiting)
  expectNoTraces(Object.values(secrets), await toldBy(agent, ''))
})
