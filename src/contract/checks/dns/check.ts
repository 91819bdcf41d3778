import { type Static, Type } from 'typebox'
import { CheckName, checkFields, retryFields, thresholdMs, wholeMinuteFrequency } from '../check-fields.ts'
import { DnsRequest } from './request.ts'

export const DnsCheck = Type.Object({
  name: CheckName,
  ...checkFields,
  ...retryFields,
  frequency: wholeMinuteFrequency,
  degradedResponseTime: thresholdMs(500, 5000),
  maxResponseTime: thresholdMs(1000, 5000),
  request: DnsRequest,
})
export type DnsCheck = Static<typeof DnsCheck>
