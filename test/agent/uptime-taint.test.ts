import { expect, onTestFinished, test, vi } from 'vitest'
import { AppError } from '../../src/lib/app-error.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { icmpAbility } from '../../src/runner/icmp/icmp-ability.ts'
import { createRunCheck, type RunCheck } from '../../src/runner/run-check.ts'
import { dueRun } from '../support/due-run.ts'
import { freePort } from '../support/free-port.ts'
import { toldTexts } from '../support/secret-traces.ts'
import { allTracesOf, sampleSecrets, taintedUptimeChecks } from '../support/tainted-uptime.ts'
import { startTelltales } from '../support/telltale-targets.ts'
import { agentKey, startFakeService, startTestAgent } from '../support/test-agent.ts'
import { expectNoTraces, filesIn, toldBy } from '../support/told-by-agent.ts'

const telltale = 'one whose secrets are in the error'
const waiting = { timeout: 20_000, interval: 50 }
const canPing = icmpAbility().way !== 'none'

test('no secret of a TCP, URL, DNS or ICMP check leaves an agent or is written down by it', async () => {
  const secrets = sampleSecrets()
  const targets = await startTelltales(Object.values(secrets))
  onTestFinished(() => targets[Symbol.asyncDispose]())
  const kinds = Object.values(taintedUptimeChecks(secrets, targets, await freePort()))
  const sound = kinds.filter(({ type }) => type !== 'ICMP' || canPing)
  const checks = [...sound, ...sound.map((definition) => ({ ...definition, name: telltale }))].map(
    (definition) => ({ ...definition, checkId: newId() }),
  )
  const realRunCheck = createRunCheck({
    clock: systemClock,
    useOsDnsResolver: false,
    version: '1.2.3',
    nameServers: [targets.nameServer.nameServer],
  })
  const runCheck: RunCheck = async (definition, ...rest) => {
    const outcome = await realRunCheck(definition, ...rest)
    if (definition.name !== telltale) return outcome
    const cause = new TypeError(`cannot read ${JSON.stringify([definition, outcome])}`)
    throw new AppError('RUNNER_FAULT', 'The agent could not carry out the request', { cause })
  }
  const service = await startFakeService()
  service.define(...checks)
  service.faults.set('results', 503)
  const env = { LOG_LEVEL: 'DEBUG', AGENT_PROBE_METRICS: 'on' }
  const agent = await startTestAgent({ service, runCheck, env })
  service.enqueue(...checks.map(({ checkId }) => dueRun({ checkId })))

  const depth = `"depth":${checks.length}`
  await vi.waitFor(async () => expect((await agent.health('/health')).text).toContain(depth), waiting)
  const unsent = await filesIn(agent.dataDir)
  service.faults.delete('results')
  await vi.waitFor(() => expect(service.results).toHaveLength(checks.length), waiting)
  await vi.waitFor(() => expect(service.errorReports).not.toEqual([]), waiting)

  const errored = service.results.filter(({ conclusion }) => conclusion.kind === 'errored')
  expect(errored).toHaveLength(sound.length)
  expect(toldTexts(service.results)).toContain('<redacted>')
  const told = await toldBy(agent, unsent)
  expect(told['health']).toContain('probe_dns_answer_rrs')
  expectNoTraces([...Object.values(secrets), agentKey], told, allTracesOf)
}, 60_000)
