import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { judge } from '../../src/rules/judge.ts'
import { icmpAbility } from '../../src/runner/icmp/icmp-ability.ts'
import { toReport } from '../../src/runner/report.ts'
import { createRunCheck } from '../../src/runner/run-check.ts'
import { freePort } from '../support/free-port.ts'
import { toldTexts } from '../support/secret-traces.ts'
import {
  allTracesOf,
  taintedUptimeChecks,
  type UptimeSecrets,
  uptimeSecrets,
} from '../support/tainted-uptime.ts'
import { startTelltales } from '../support/telltale-targets.ts'

const { signal } = new AbortController()
const canPing = icmpAbility().way !== 'none'

/** What is seen of each check, and how it is told. */
async function attempted(secrets: UptimeSecrets) {
  await using targets = await startTelltales(Object.values(secrets))
  const checks = taintedUptimeChecks(secrets, targets, await freePort())
  const runCheck = createRunCheck({
    clock: systemClock,
    useOsDnsResolver: false,
    version: '1.2.3',
    nameServers: [targets.nameServer.nameServer],
  })
  const attempts = Object.entries(checks)
    .filter(([, { type }]) => type !== 'ICMP' || canPing)
    .map(async ([what, definition]) => {
      const outcome = await runCheck(definition, signal)
      const report = toReport(definition, outcome, judge(definition, outcome))
      return { what, outcome, told: toldTexts(report), untold: toldTexts(outcome) }
    })
  const seen = await Promise.all(attempts)
  return { seen, heard: [...targets.heard, ...targets.http.received].join('\n') }
}

test('no secret of a TCP, URL, DNS or ICMP check is in its report, wherever it was and whatever the target tells', async () => {
  await fc.assert(
    fc.asyncProperty(uptimeSecrets, async (secrets) => {
      const { seen, heard } = await attempted(secrets)
      for (const { what, outcome, told } of seen) {
        expect([what, outcome.kind === 'observed'], told.slice(0, 500)).toEqual([
          what,
          / observed/.test(what),
        ])
        for (const [place, secret] of Object.entries(secrets)) {
          expect({ what, place, secret, traces: allTracesOf(secret, told) }).toEqual({
            what,
            place,
            secret,
            traces: [],
          })
        }
      }
      for (const place of ['data', 'path', 'query', 'host', 'zone'] as const) {
        expect(allTracesOf(secrets[place], heard), `${place} was sent`).not.toEqual([])
      }
    }),
    { numRuns: 40 },
  )
}, 60_000)

test('what the targets tell would be in the reports, if it were not for the secrets', async () => {
  const [secrets] = fc.sample(uptimeSecrets, { numRuns: 1, seed: 1 })
  if (!secrets) throw new Error('no sample')
  const { seen } = await attempted(secrets)
  const told = seen.map(({ what, untold }) => {
    const places = Object.entries(secrets).filter(([, secret]) => allTracesOf(secret, untold).length > 0)
    return [what, places.map(([place]) => place)]
  })
  const all = Object.keys(secrets)
  expect(Object.fromEntries(told)).toMatchObject({
    'TCP observed': all,
    'TCP broken off': all,
    'TCP refused': ['host'],
    'URL observed': ['path', 'query', 'host'],
    'URL observed after a redirect': ['path', 'query', 'host'],
    'DNS observed over UDP': all,
    'DNS observed over TCP': all,
    'DNS refused': ['zone', 'server'],
    'DNS that asks for no name': ['zone', 'server', 'elsewhere'],
  })
})
