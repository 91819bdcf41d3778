import { type Static, Type } from 'typebox'
import { CheckName } from '../check-fields.ts'
import { Script, scriptedFields, sslCheckDomainField } from '../scripted-fields.ts'

export const BrowserCheck = Type.Object({
  name: CheckName,
  ...scriptedFields,
  ...sslCheckDomainField,
  script: Script,
})
export type BrowserCheck = Static<typeof BrowserCheck>
