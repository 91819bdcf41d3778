import { type Static, Type } from 'typebox'
import { Nullable } from '../../schema.ts'
import { CheckName, checkFields, retryFields, wholeMinuteFrequency } from '../check-fields.ts'
import { IcmpRequest } from './request.ts'

/** In percent of the packets (semantics §1). */
const packetLoss = (preset: number) =>
  Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 100 }), {
    default: preset,
    description: 'percent, passed by more than this',
  })

export const IcmpCheck = Type.Object({
  name: CheckName,
  ...checkFields,
  ...retryFields,
  frequency: wholeMinuteFrequency,
  degradedPacketLossThreshold: packetLoss(10),
  maxPacketLossThreshold: packetLoss(20),
  request: IcmpRequest,
})
export type IcmpCheck = Static<typeof IcmpCheck>
