import { type Static, Type } from 'typebox'
import { Text } from '../schema.ts'
import { Variable } from '../variable.ts'

/** Stands in a path as it is, since clients do not encode it there. */
const Key = Type.String({ maxLength: 255, pattern: '^[A-Za-z0-9_-][A-Za-z0-9_.-]*$' })
const Value = Text({ maxLength: 65_536 })

export const VariableCreate = Type.Object({ ...Variable.properties, key: Key, value: Value })
export type VariableCreate = Static<typeof VariableCreate>

/** Its key is for life: one in the body is ignored. */
export const VariableUpdate = Type.Object({
  value: Value,
  locked: Variable.properties.locked,
  secret: Variable.properties.secret,
})
export type VariableUpdate = Static<typeof VariableUpdate>
