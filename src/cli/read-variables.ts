import type { Variable } from '../contract/variable.ts'

export interface VariableOptions {
  /** `KEY=VALUE` */
  readonly variable?: readonly string[]
  /** Names of environment variables. */
  readonly secret?: readonly string[]
}

export interface ReadVariables {
  readonly variables: readonly Variable[]
  readonly faults: readonly string[]
}

/**
 * The variables that a command line gives to checks. A secret is named there and read from the environment: what stands
 * on a command line is seen by every process of the machine.
 */
export function readVariables(
  { variable = [], secret = [] }: VariableOptions,
  env: Readonly<Record<string, string | undefined>>,
): ReadVariables {
  const variables: Variable[] = []
  const faults: string[] = []
  for (const text of variable) {
    const at = text.indexOf('=')
    if (at < 1) faults.push(`--variable must be KEY=VALUE, was "${text}"`)
    else variables.push({ key: text.slice(0, at), value: text.slice(at + 1), locked: false, secret: false })
  }
  for (const key of secret) {
    const value = env[key]
    if (value === undefined)
      faults.push(`--secret must name an environment variable that is set, was "${key}"`)
    else variables.push({ key, value, locked: false, secret: true })
  }
  return { variables, faults }
}
