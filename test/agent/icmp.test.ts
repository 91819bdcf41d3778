import { expect, test, vi } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { icmpAbility } from '../../src/runner/icmp/icmp-ability.ts'
import { createRunCheck } from '../../src/runner/run-check.ts'
import { dueRun } from '../support/due-run.ts'
import { icmpDefinition } from '../support/icmp-outcome.ts'
import { icmpRequest } from '../support/ping-once.ts'
import { startTestAgent } from '../support/test-agent.ts'

const { way } = icmpAbility()

test(`tells by /health how it pings, and the service whether it does (here: ${way})`, async () => {
  const { health, service } = await startTestAgent()
  const { text } = await health('/health')
  expect(JSON.parse(text)).toMatchObject({
    icmp: { way, advice: way === 'none' ? expect.any(String) : null },
  })
  await vi.waitFor(() => expect(service.claims).not.toHaveLength(0))
  expect(service.claims[0]?.capabilities.checkTypes.includes('ICMP')).toBe(way !== 'none')
})

test.skipIf(way === 'none')(
  `carries out an ICMP check from its claim to its result (by ${way})`,
  async () => {
    const runCheck = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1.2.3' })
    const { service } = await startTestAgent({ runCheck })
    const assertions = [
      { source: 'LATENCY', comparison: 'LESS_THAN', property: 'max', target: '1000', regex: null },
      { source: 'JSON_RESPONSE', comparison: 'EQUALS', property: '$.packetLoss', target: '0', regex: null },
    ] as const
    const request = icmpRequest({ hostname: '127.0.0.1', pingCount: 2, assertions: [...assertions] })
    const definition = icmpDefinition({ request })
    service.define(definition)
    service.enqueue(dueRun({ checkId: definition.checkId }))
    await vi.waitFor(() => expect(service.results).toHaveLength(1), 10_000)
    expect(service.results[0]?.conclusion).toMatchObject({
      kind: 'judged',
      outcome: { type: 'ICMP', kind: 'observed', observation: { packetsReceived: 2, packetLoss: 0 } },
      assertions: [{ holds: true }, { holds: true }],
      verdict: { state: 'passing' },
    })
  },
)
