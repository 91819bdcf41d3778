import { type Static, Type } from 'typebox'
import { OneOf } from './schema.ts'

const OnlyOn = OneOf(['NETWORK_ERROR'])

/** semantics §1 and §4. Some clients send `onlyOn` as a string, others as a list: either is returned as sent. */
export const RetryStrategy = Type.Object({
  type: OneOf(['FIXED', 'LINEAR', 'EXPONENTIAL', 'SINGLE_RETRY']),
  baseBackoffSeconds: Type.Number({ default: 60, minimum: 0, maximum: 600 }),
  sameRegion: Type.Boolean({ default: true }),
  maxRetries: Type.Number({ default: 2, minimum: 1, maximum: 10 }),
  maxDurationSeconds: Type.Number({ default: 600, minimum: 0, maximum: 600 }),
  onlyOn: Type.Optional(Type.Union([OnlyOn, Type.Array(OnlyOn, { maxItems: 1 })])),
})
export type RetryStrategy = Static<typeof RetryStrategy>
