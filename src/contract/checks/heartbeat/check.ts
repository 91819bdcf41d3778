import { type Static, Type } from 'typebox'
import { Nullable, Text } from '../../schema.ts'
import { ApiRequest } from '../api/request.ts'
import { CheckName, checkFields, scriptFields, thresholdMs, variableFields } from '../check-fields.ts'
import { Script, scriptPathField, sslCheckDomainField } from '../scripted-fields.ts'
import { Heartbeat } from './heartbeat.ts'

const heartbeatFields = {
  ...checkFields,
  frequency: Type.Integer({ default: 10, minimum: 0, maximum: 1440 }),
  ...scriptFields,
  ...scriptPathField,
  ...sslCheckDomainField,
  ...variableFields,
  degradedResponseTime: thresholdMs(10_000, 300_000),
  maxResponseTime: thresholdMs(20_000, 300_000),
  /** One that is run, and pinged for by whoever ran it when it passed (semantics §7); without a URL it is none. */
  request: Type.Optional(
    Nullable(Type.Object({ ...ApiRequest.properties, url: Text({ default: '', maxLength: 2048 }) })),
  ),
}

export const HeartbeatCheck = Type.Object({
  name: CheckName,
  ...heartbeatFields,
  script: Type.Optional(Script),
  heartbeat: Heartbeat,
})
export type HeartbeatCheck = Static<typeof HeartbeatCheck>

/** service.md: the script is required in the body of an update. What is left out of name and heartbeat stays. */
export const HeartbeatCheckUpdate = Type.Object({
  name: Type.Optional(CheckName),
  ...heartbeatFields,
  script: Script,
  heartbeat: Type.Optional(Heartbeat),
})
