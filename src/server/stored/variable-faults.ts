import type { Variable } from '../../contract/variable.ts'
import type { Fault } from '../../lib/find-faults.ts'

/** Each key that a check or a group has more than once is named once. */
export function variableFaults(variables: readonly Variable[] | null | undefined): Fault[] {
  const keys = (variables ?? []).map(({ key }) => key)
  const again = new Set(keys.filter((key, index) => keys.indexOf(key) !== index))
  return [...again].map((key) => ({
    path: `environmentVariables[${keys.lastIndexOf(key)}].key`,
    text: `"environmentVariables" has the key ${JSON.stringify(key)} twice: a key may be there once`,
  }))
}
