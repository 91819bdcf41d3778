import { styleText } from 'node:util'
import type { AssertionResult } from '../contract/assertion.ts'
import { evidenceOf, type Outcome } from '../contract/outcome.ts'
import { type Phase, phases, type Timings } from '../contract/timings.ts'
import type { Verdict } from '../contract/verdict.ts'
import { describeOutcome } from './describe-outcome.ts'

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

/** All phases of an HTTP request, and those that there were of any other check. */
function phaseLine({ phasesUs }: Timings, isHttp: boolean): string {
  return phases
    .filter((phase) => isHttp || phasesUs[phase] !== null)
    .map((phase) => {
      const us = phasesUs[phase]
      return `${phaseNames[phase]} ${us === null ? '–' : ms(us)}`
    })
    .join('  ')
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
  const { headline, details } = describeOutcome(outcome)
  const head = `${marks[verdict.state]} ${verdict.state}`
  const told = new Set(assertions.map(({ message }) => message))
  const reasons = verdict.reasons.filter((reason) => !told.has(reason))
  const phaseTimes = phaseLine(outcome.timings, 'hops' in evidenceOf(outcome))
  const dimmed = [phaseTimes, ...details].filter((line) => line !== '')
  return [
    `${styleText(colours[verdict.state], head)}  ${styleText('bold', name)}  ${ms(outcome.timings.totalUs)}`,
    `${indent}${headline}`,
    ...dimmed.map((line) => indent + styleText('dim', line)),
    ...assertions.map((assertion) => indent + assertionLine(assertion)),
    ...[...reasons, ...expectedFailure(outcome, verdict)].map((reason) => indent + reason),
  ].join('\n')
}

/** What would be called a failure, were it not for `shouldFail`. */
function expectedFailure(outcome: Outcome, { state }: Verdict): string[] {
  if (state === 'failing' || outcome.kind !== 'unreachable') return []
  return [`${outcome.cause.message}, as the check expects`]
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
