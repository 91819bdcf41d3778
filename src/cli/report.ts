import { styleText } from 'node:util'
import type { AssertionResult } from '../contract/assertion.ts'
import type { ApiEvidence } from '../contract/checks/api/observation.ts'
import type { Outcome } from '../contract/outcome.ts'
import { type Phase, phases, type Timings } from '../contract/timings.ts'
import type { Verdict } from '../contract/verdict.ts'

export interface JudgedReport {
  readonly name: string
  readonly outcome: Outcome
  readonly assertions: readonly AssertionResult[]
  readonly verdict: Verdict
}

/** What `picket run` has to tell of one check; `errored`: why it could not be made, which says nothing of its target. */
export type CheckReport = JudgedReport | { readonly name: string; readonly errored: string }

const marks = { passing: '✔', degraded: '!', failing: '✘' } as const
const colours = { passing: 'green', degraded: 'yellow', failing: 'red' } as const
const indent = '  '

const ms = (us: number) => `${(us / 1000).toFixed(1)} ms`

const phaseNames: Readonly<Record<Phase, string>> = {
  dns: 'dns',
  connect: 'connect',
  tls: 'tls',
  send: 'send',
  firstByte: 'first byte',
  download: 'download',
}

function phaseLine({ phasesUs }: Timings): string {
  return phases
    .map((phase) => {
      const us = phasesUs[phase]
      return `${phaseNames[phase]} ${us === null ? '–' : ms(us)}`
    })
    .join('  ')
}

const evidenceOf = (outcome: Outcome): ApiEvidence =>
  outcome.kind === 'observed' ? outcome.observation : outcome.evidence

/** The way of a redirected request, each hop with its time. */
function hopLines({ hops }: ApiEvidence): string[] {
  if (hops.length < 2) return []
  return hops.map(({ method, url, status, timings }, index) =>
    styleText('dim', `${index + 1}. ${method} ${url} → ${status ?? 'no response'}  ${ms(timings.totalUs)}`),
  )
}

/** Only where an address did not do what was hoped of it. */
function addressLines({ hops }: ApiEvidence): string[] {
  const tried = hops.flatMap(({ addresses }) => addresses)
  if (tried.every(({ fate }) => fate === 'connected')) return []
  const told = tried.map(({ address, fate, code, tookUs }) => `${address} ${code ?? fate} (${ms(tookUs)})`)
  return [styleText('dim', `addresses tried: ${told.join(', ')}`)]
}

function tlsLines({ tls }: ApiEvidence): string[] {
  if (!tls) return []
  const days = tls.daysRemaining === null ? '' : `, first certificate to expire in ${tls.daysRemaining} days`
  return [styleText('dim', `${tls.protocol} ${tls.cipher}${days}`)]
}

function requestLine(outcome: Outcome): string {
  const { request, response } = evidenceOf(outcome)
  const answer = response ? `${response.status} ${response.statusText}`.trim() : 'no response'
  return `${request.method} ${request.url} → ${answer}`
}

function assertionLine({
  source,
  property,
  comparison,
  target,
  holds,
  actual,
  message,
}: AssertionResult): string {
  const asked = [source, property, comparison, target].filter((part) => part !== '').join(' ')
  if (holds) return `${styleText('green', '✔')} ${asked}${actual === null ? '' : `, was ${actual}`}`
  return `${styleText('red', '✘')} ${asked}: ${message ?? 'does not hold'}`
}

/** Several lines for a person: verdict, request, phases, each assertion, and why it is not passing. */
export function describeReport(report: CheckReport): string {
  return 'errored' in report
    ? `${styleText('yellow', '? errored')}  ${styleText('bold', report.name)}\n${indent}${report.errored}`
    : describeJudged(report)
}

function describeJudged({ name, outcome, assertions, verdict }: JudgedReport): string {
  const evidence = evidenceOf(outcome)
  const head = `${marks[verdict.state]} ${verdict.state}`
  const told = new Set(assertions.map(({ message }) => message))
  const reasons = verdict.reasons.filter((reason) => !told.has(reason))
  return [
    `${styleText(colours[verdict.state], head)}  ${styleText('bold', name)}  ${ms(outcome.timings.totalUs)}`,
    `${indent}${requestLine(outcome)}`,
    `${indent}${styleText('dim', phaseLine(outcome.timings))}`,
    ...[...hopLines(evidence), ...addressLines(evidence), ...tlsLines(evidence)].map((line) => indent + line),
    ...assertions.map((assertion) => indent + assertionLine(assertion)),
    ...reasons.map((reason) => indent + reason),
  ].join('\n')
}

/** `3 checks: 2 passing, 1 failing` */
export function describeTotals(reports: readonly CheckReport[]): string {
  const stateOf = (report: CheckReport) => ('errored' in report ? 'errored' : report.verdict.state)
  const counts = [...Object.keys(marks), 'errored']
    .map((state) => ({ state, count: reports.filter((report) => stateOf(report) === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state}`)
  return `${reports.length} ${reports.length === 1 ? 'check' : 'checks'}: ${counts.join(', ')}`
}
