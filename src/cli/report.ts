import { styleText } from 'node:util'
import type { AssertionResult } from '../contract/assertion.ts'
import type { Outcome } from '../contract/outcome.ts'
import { type Phase, phases, type Timings } from '../contract/timings.ts'
import type { Verdict } from '../contract/verdict.ts'

/** What `picket run` has to tell of one check. */
export interface CheckReport {
  readonly name: string
  readonly outcome: Outcome
  readonly assertions: readonly AssertionResult[]
  readonly verdict: Verdict
}

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

function requestLine(outcome: Outcome): string {
  const { request, response } = outcome.kind === 'observed' ? outcome.observation : outcome.evidence
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
export function describeReport({ name, outcome, assertions, verdict }: CheckReport): string {
  const head = `${marks[verdict.state]} ${verdict.state}`
  const told = new Set(assertions.map(({ message }) => message))
  const reasons = verdict.reasons.filter((reason) => !told.has(reason))
  return [
    `${styleText(colours[verdict.state], head)}  ${styleText('bold', name)}  ${ms(outcome.timings.totalUs)}`,
    `${indent}${requestLine(outcome)}`,
    `${indent}${styleText('dim', phaseLine(outcome.timings))}`,
    ...assertions.map((assertion) => indent + assertionLine(assertion)),
    ...reasons.map((reason) => indent + reason),
  ].join('\n')
}

/** `3 checks: 2 passing, 1 failing` */
export function describeTotals(reports: readonly CheckReport[]): string {
  const counts = Object.keys(marks)
    .map((state) => ({ state, count: reports.filter(({ verdict }) => verdict.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state}`)
  return `${reports.length} ${reports.length === 1 ? 'check' : 'checks'}: ${counts.join(', ')}`
}
