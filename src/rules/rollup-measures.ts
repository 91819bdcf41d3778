import type { Result } from '../contract/result.ts'

/**
 * What a result measures, whatever its type: milliseconds, percent for packetLoss. `total` is the response time of
 * semantics §3, `wait` our own queueing before it.
 */
export const measureNames = [
  'total',
  'wait',
  'dns',
  'connect',
  'tls',
  'send',
  'firstByte',
  'download',
  'packetLoss',
  'latencyMin',
  'latencyAvg',
  'latencyMax',
  'latencyStdDev',
] as const
export type MeasureName = (typeof measureNames)[number]

/** A measure that was not taken is absent. */
export type Measures = Readonly<Partial<Record<MeasureName, number>>>

const ms = (us: number): number => us / 1000

/**
 * Only of what was observed: a refused connection is fast and a time-out is as slow as its deadline, and neither says how
 * long the target takes to answer. Null for all else.
 */
export function measuresOf({ conclusion, queueUs }: Result): Measures | null {
  if (conclusion.kind !== 'judged' || conclusion.outcome.kind !== 'observed') return null
  const { totalUs, phasesUs } = conclusion.outcome.timings
  const taken: Partial<Record<MeasureName, number>> = { total: ms(totalUs), wait: ms(queueUs) }
  for (const phase of ['dns', 'connect', 'tls', 'send', 'firstByte', 'download'] as const) {
    const us = phasesUs[phase]
    if (us !== null) taken[phase] = ms(us)
  }
  return taken
}

/** The HTTP status that came back, also where its body did not; null when none did. */
export function statusCodeOf({ conclusion }: Result): number | null {
  if (conclusion.kind !== 'judged') return null
  const { outcome } = conclusion
  const response = outcome.kind === 'observed' ? outcome.observation.response : outcome.evidence.response
  return response?.status ?? null
}
