import { type Static, Type } from 'typebox'
import type { RetryStrategy } from '../retry-strategy.ts'
import type { Variable } from '../variable.ts'
import { CheckName, checkFields, type scriptFields } from './check-fields.ts'

const Shared = Type.Object({ name: CheckName, ...checkFields })
const Scripts = Type.Object({} as typeof scriptFields)

/** What may be said of a check whose type does not matter. */
export interface AnyCheck extends Omit<Static<typeof Shared>, 'frequency'>, Partial<Static<typeof Scripts>> {
  readonly frequency: number
  retryStrategy?: RetryStrategy | null
  environmentVariables?: Variable[] | null
}
