import type { Variable } from '../contract/variable.ts'

/**
 * The variables of a run, no key twice: each level goes over those behind it (semantics §6: check over group over
 * account). The whole entry counts, its secrecy with it.
 */
export function mergeVariables(...levels: readonly (readonly Variable[])[]): Variable[] {
  const byKey = new Map<string, Variable>()
  for (const variable of levels.flat()) {
    if (!byKey.has(variable.key)) byKey.set(variable.key, variable)
  }
  return [...byKey.values()]
}
