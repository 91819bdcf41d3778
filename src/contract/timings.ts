import { type Static, Type } from 'typebox'
import { EpochMs, Micros, Nullable, OneOf } from './schema.ts'

/** In the order in which an attempt goes through them. */
export const phases = ['dns', 'connect', 'tls', 'send', 'firstByte', 'download'] as const
export const Phase = OneOf(phases)
export type Phase = Static<typeof Phase>

/** Microseconds of the monotonic clock that went to each phase; null for one that was not reached. They add up to the total. */
const PhasesUs = Type.Object({
  dns: Nullable(Micros),
  connect: Nullable(Micros),
  tls: Nullable(Micros),
  send: Nullable(Micros),
  firstByte: Nullable(Micros),
  download: Nullable(Micros),
})
export type PhasesUs = Static<typeof PhasesUs>

/** Where the time of an attempt went, over all its hops. `totalUs` is the response time of semantics §3. */
export const Timings = Type.Object({ startedAt: EpochMs, totalUs: Micros, phasesUs: PhasesUs })
export type Timings = Static<typeof Timings>

/** Where the time of one hop went. `startedUs`: since the start of the attempt. */
export const HopTimings = Type.Object({ startedUs: Micros, totalUs: Micros, phasesUs: PhasesUs })
export type HopTimings = Static<typeof HopTimings>
