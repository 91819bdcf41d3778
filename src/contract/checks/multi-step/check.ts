import { type Static, Type } from 'typebox'
import { CheckName } from '../check-fields.ts'
import { Script, scriptedFields } from '../scripted-fields.ts'

export const MultiStepCheck = Type.Object({ name: CheckName, ...scriptedFields, script: Script })
export type MultiStepCheck = Static<typeof MultiStepCheck>
