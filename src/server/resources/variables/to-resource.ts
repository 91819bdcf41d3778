import type { Variable } from '../../../contract/variable.ts'
import type { Schema } from '../../../storage/schema.ts'

/** The value of a secret is told to nobody: it is empty. */
export function toResource({ key, value, locked, secret }: Schema['variables']): Variable {
  return { key, value: secret === 1 ? '' : value, locked: locked === 1, secret: secret === 1 }
}
