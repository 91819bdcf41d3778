import { describe, expect, test } from 'vitest'
import { Outcome } from '../../../src/contract/outcome.ts'
import type { DefinitionOf } from '../../../src/contract/run.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { validator } from '../../../src/lib/validate.ts'
import { judge } from '../../../src/rules/judge.ts'
import { questionsAbout } from '../../../src/rules/own-fault.ts'
import { toReport } from '../../../src/runner/report.ts'
import { createRunCheck, type RunnerOptions } from '../../../src/runner/run-check.ts'
import { at } from '../../support/dns-attempt.ts'
import { dnsDefinition } from '../../support/dns-definition.ts'
import { type DnsLies, startDnsLiar } from '../../support/dns-liar.ts'
import { replyTo } from '../../support/dns-messages.ts'
import { freePort } from '../../support/free-port.ts'

const answering =
  (reply: Parameters<typeof replyTo>[1]): NonNullable<DnsLies['udp']> =>
  (question, say) =>
    say(replyTo(question, reply))

const one = { type: 'A', name: 'a.test', ttl: 60, data: '192.0.2.1' } as const
const assertion = { comparison: 'EQUALS', property: '', target: '', regex: null } as const

/** Attempted, judged and told, as an agent does it. */
async function carriedOut(definition: DefinitionOf<'DNS'>, options: Partial<RunnerOptions> = {}) {
  const run = createRunCheck({ clock: systemClock, useOsDnsResolver: false, version: '1.2.3', ...options })
  const outcome = await run(definition, new AbortController().signal)
  const report = toReport(definition, outcome, judge(definition, outcome))
  expect(validator(Outcome)(report.outcome)).toEqual({ kind: 'valid', value: report.outcome })
  return { ...report, outcome, told: JSON.stringify(report) }
}

describe('a DNS check', () => {
  test('passes on an answer', async () => {
    await using liar = await startDnsLiar({ udp: answering({ answers: [one] }) })
    const target = '192.0.2.1'
    const { verdict, assertions } = await carriedOut(
      dnsDefinition({
        ...at(liar),
        assertions: [{ ...assertion, source: 'JSON_ANSWER', property: '$.Answer[0].data', target }],
      }),
    )
    expect(verdict).toMatchObject({ state: 'passing', reasons: [] })
    expect(assertions).toMatchObject([{ holds: true, actual: target }])
  })

  test('fails on another response code, and is not doubted', async () => {
    await using liar = await startDnsLiar({ udp: answering({ code: 3 }) })
    const { verdict, outcome } = await carriedOut(dnsDefinition(at(liar)))
    expect(verdict).toMatchObject({
      state: 'failing',
      reasons: ['the response code NXDOMAIN is not NOERROR'],
    })
    expect(questionsAbout(outcome)).toMatchObject({ nameServers: false, egress: false })
  })

  test('passes on the response code that it asserts', async () => {
    await using liar = await startDnsLiar({ udp: answering({ code: 3 }) })
    const assertions = [{ ...assertion, source: 'RESPONSE_CODE', target: 'NXDOMAIN' } as const]
    const { verdict } = await carriedOut(dnsDefinition({ ...at(liar), assertions }))
    expect(verdict.state).toBe('passing')
  })

  test('is too slow where a datagram was lost and its limit is short', async () => {
    await using liar = await startDnsLiar({
      udp: (question, reply, count) => count > 1 && reply(replyTo(question)),
    })
    const limits = { degradedResponseTimeMs: 100, maxResponseTimeMs: 10_000 }
    expect((await carriedOut(dnsDefinition(at(liar), limits))).verdict.state).toBe('degraded')
  })

  test('fails where the name server of the check does not listen, and is not doubted', async () => {
    const { verdict, outcome } = await carriedOut(dnsDefinition(at({ port: await freePort() })))
    expect(verdict).toMatchObject({ state: 'failing', reasons: ['The target refused the connection'] })
    expect(questionsAbout(outcome)).toMatchObject({ nameServers: false })
  })

  test("doubts the agent's own resolvers where they do not listen", async () => {
    const { outcome } = await carriedOut(dnsDefinition({}), {
      nameServers: [`127.0.0.1:${await freePort()}`],
    })
    expect(questionsAbout(outcome)).toMatchObject({ nameServers: true })
  })

  test("doubts the agent's own resolvers where they are silent", async () => {
    await using liar = await startDnsLiar({})
    const options = { nameServers: [liar.nameServer], attemptMs: 100 }
    expect(questionsAbout((await carriedOut(dnsDefinition({}), options)).outcome)).toMatchObject({
      nameServers: true,
    })
  })

  test('tells no secret of its query', async () => {
    const secret = { key: 'ZONE', value: 'hidden-zone', locked: false, secret: true }
    const answers = [{ ...one, name: 'hidden-zone.test' }]
    await using liar = await startDnsLiar({ udp: answering({ answers }) })
    const definition = dnsDefinition({ query: '{{ZONE}}.test', ...at(liar) }, { variables: [secret] })
    const { outcome, told } = await carriedOut(definition)
    expect(JSON.stringify(outcome)).toContain('hidden-zone')
    expect(told).toContain('192.0.2.1')
    expect(told).not.toContain('hidden-zone')
  })
})
