import { type Static, Type } from 'typebox'
import { CheckName } from '../check-fields.ts'
import { Script, scriptedFields, sslCheckDomainField } from '../scripted-fields.ts'

/** A PLAYWRIGHT or AGENTIC check: the contract says no more of them than what all scripted checks have. */
export const SuiteCheck = Type.Object({
  name: CheckName,
  ...scriptedFields,
  ...sslCheckDomainField,
  script: Type.Optional(Script),
})
export type SuiteCheck = Static<typeof SuiteCheck>
