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
  'data',
  'packetLoss',
  'latencyMin',
  'latencyAvg',
  'latencyMax',
  'latencyStdDev',
] as const
export type MeasureName = (typeof measureNames)[number]

/** A measure that was not taken is absent. */
export type Measures = Readonly<Partial<Record<MeasureName, number>>>
