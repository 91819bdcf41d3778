import { type Static, Type } from 'typebox'
import { CheckName, checkFields, retryFields, thresholdMs, wholeMinuteFrequency } from '../check-fields.ts'
import { UrlRequest } from './request.ts'

export const UrlCheck = Type.Object({
  name: CheckName,
  ...checkFields,
  ...retryFields,
  frequency: wholeMinuteFrequency,
  degradedResponseTime: thresholdMs(3000, 30_000),
  maxResponseTime: thresholdMs(5000, 30_000),
  request: UrlRequest,
})
export type UrlCheck = Static<typeof UrlCheck>
