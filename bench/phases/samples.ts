import { setTimeout as wait } from 'node:timers/promises'
import type { Outcome } from '../../src/contract/outcome.ts'
import { type Phase, phases } from '../../src/contract/timings.ts'
import { createRunCheck, type RunCheck } from '../../src/runner/run-check.ts'
import { apiDefinition } from '../../test/support/api-definition.ts'
import { readCertificate } from '../../test/support/http-target.ts'
import { ask, startChild } from '../support/child.ts'
import { bareFirstByte } from './control.ts'
import { type Mark, monotonicMs, type TargetRecord } from './marks.ts'
import { type Scenario, type Seen, scenarios } from './scenarios.ts'
import type { PhaseTargetPorts } from './target.ts'

export interface PhaseErrors {
  readonly phase: Phase
  readonly ends: string
  /** Reported minus true, of each attempt; infinite when it ended in another way or in another phase. */
  readonly errorsMs: readonly number[]
}

export interface PhaseLoad {
  /** Attempts at the same time. */
  readonly lanes: number
  /** Of each scenario. */
  readonly samples: number
  readonly onScenario?: (name: string) => void
}

/** What is reported as an attempt's instant is then one of the clock that the target marks with. */
export const phaseClock = { now: monotonicMs, monotonicMs }

/** Before each attempt, so that lanes do not go in step: the cost of a burst is another question. */
const longestPauseMs = 50

/** Attempts of the real runner at a target of known delays: how far off is each reported phase? */
export async function measurePhases({ lanes, samples, onScenario }: PhaseLoad): Promise<PhaseErrors[]> {
  const target = await startChild<PhaseTargetPorts>(new URL('target.ts', import.meta.url), { args: [lanes] })
  const seen = new Map<Scenario, readonly (readonly Seen[])[]>()
  for (const scenario of scenarios) {
    onScenario?.(`${scenario.phase}, ${scenario.ends}`)
    const each = Math.ceil(samples / (scenario.oneIn ?? 1) / lanes)
    const run = runnerFor(scenario, target.said)
    const attempts = Array.from({ length: lanes }, (_, lane) =>
      lanesAttempts(run, scenario, lane, each, target.said),
    )
    seen.set(scenario, await Promise.all(attempts))
  }
  const records = await ask<TargetRecord[]>(target.process, {})
  target.process.kill()
  return Array.from(seen, ([scenario, bySeen]) => ({
    phase: scenario.phase,
    ends: scenario.ends,
    errorsMs: bySeen.flatMap((attempts, lane) =>
      errorsOf(scenario, attempts, recordsOf(records, scenario, lane)),
    ),
  }))
}

function runnerFor({ cutMs }: Scenario, { dns }: PhaseTargetPorts): RunCheck {
  return createRunCheck({
    clock: phaseClock,
    useOsDnsResolver: false,
    version: 'bench',
    extraCa: [readCertificate('ca')],
    nameServers: [`127.0.0.1:${dns}`],
    ...(cutMs !== null && { attemptMs: cutMs }),
  })
}

async function lanesAttempts(
  runCheck: RunCheck,
  scenario: Scenario,
  lane: number,
  count: number,
  ports: PhaseTargetPorts,
): Promise<Seen[]> {
  const seen: Seen[] = []
  for (let attempt = 0; attempt < count; attempt += 1) {
    await wait(Math.random() * longestPauseMs)
    const url = urlOf(scenario, lane, attempt, ports)
    seen.push(
      scenario.script === 'control'
        ? await bareFirstByte(Number(new URL(url).port))
        : asSeen(
            await runCheck(apiDefinition(url, scenario.request), new AbortController().signal),
            scenario,
          ),
    )
  }
  return seen
}

function urlOf({ script }: Scenario, lane: number, attempt: number, { scripts }: PhaseTargetPorts): string {
  const own = script === 'dns' || script === 'dns-nxdomain' || script === 'dns-silent' ? null : script
  const port = scripts[own ?? 'plain'][lane]
  if (own === null) return `http://${script}-${lane}-${attempt}.bench.test:${port}/`
  return `${own.startsWith('tls') ? 'https' : 'http'}://127.0.0.1:${port}/`
}

export function asSeen(
  { timings, ...outcome }: Outcome,
  { phase, fails }: Pick<Scenario, 'phase' | 'fails'>,
): Seen {
  const settledMs = monotonicMs()
  const failedIn = outcome.kind === 'observed' ? null : outcome.cause.phase
  const { startedAt, phasesUs } = timings
  const until = phases.slice(0, phases.indexOf(phase) + 1)
  const endedUs = until.reduce((sum, name) => sum + (phasesUs[name] ?? 0), 0)
  const phaseUs = failedIn === (fails ? phase : null) ? phasesUs[phase] : null
  return {
    startedMs: startedAt,
    settledMs,
    phaseEndedMs: startedAt + endedUs / 1000,
    phaseMs: phaseUs === null ? null : phaseUs / 1000,
  }
}

const recordsOf = (records: readonly TargetRecord[], { script }: Scenario, lane: number) =>
  records.filter((record) => record.script === script && record.lane === lane)

function errorsOf(scenario: Scenario, seen: readonly Seen[], records: readonly TargetRecord[]): number[] {
  // Otherwise there is no knowing which belongs to which.
  const known = records.length === seen.length
  return seen.map((attempt, index) => {
    const marks = new Map(records[index]?.marks)
    const at = (mark: Mark) => marks.get(mark) ?? Number.NaN
    return known ? errorMs(attempt, scenario.trueMs(at, attempt)) : Number.POSITIVE_INFINITY
  })
}

/** Infinite when the attempt did not end in the way and in the phase that it was made to end in. */
export function errorMs({ phaseMs }: Seen, trueMs: number): number {
  return phaseMs === null || Number.isNaN(trueMs) ? Number.POSITIVE_INFINITY : phaseMs - trueMs
}
