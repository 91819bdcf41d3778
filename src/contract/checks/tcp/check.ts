import { type Static, Type } from 'typebox'
import { CheckName, checkFields, retryFields, thresholdMs } from '../check-fields.ts'
import { TcpRequest } from './request.ts'

export const TcpCheck = Type.Object({
  name: CheckName,
  ...checkFields,
  ...retryFields,
  degradedResponseTime: thresholdMs(3000, 5000),
  maxResponseTime: thresholdMs(5000, 5000),
  request: TcpRequest,
})
export type TcpCheck = Static<typeof TcpCheck>
