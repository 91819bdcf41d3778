import { type Static, Type } from 'typebox'
import { EpochMs, Micros, Nullable, OneOf } from './schema.ts'

/** In the order in which an attempt goes through them. */
export const phases = ['dns', 'connect', 'tls', 'send', 'firstByte', 'download'] as const
export const Phase = OneOf(phases)
export type Phase = Static<typeof Phase>

/**
 * Where the time of an attempt went, in microseconds of the monotonic clock. A phase that was not reached is null.
 * Over redirects the phases are sums; they add up to `totalUs`, the response time of semantics §3.
 */
export const Timings = Type.Object({
  startedAt: EpochMs,
  totalUs: Micros,
  phasesUs: Type.Object({
    dns: Nullable(Micros),
    connect: Nullable(Micros),
    tls: Nullable(Micros),
    send: Nullable(Micros),
    firstByte: Nullable(Micros),
    download: Nullable(Micros),
  }),
})
export type Timings = Static<typeof Timings>
