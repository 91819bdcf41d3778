import type { CheckGroup } from '../../../contract/resources/check-group.ts'
import type { Fault } from '../../../lib/find-faults.ts'
import { variableFaults } from '../../stored/variable-faults.ts'

/** Of what is stored as it is sent, whatever it is: in characters of JSON, and in levels of lists and objects. */
const longestDefaults = 65_536
const deepestDefaults = 20

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}

function browserDefaultsFaults(defaults: unknown): Fault[] {
  const path = 'browserCheckDefaults'
  if (isDeeperThan(deepestDefaults, defaults))
    return [{ path, text: `"${path}" must not be nested over ${deepestDefaults} deep` }]
  if ((JSON.stringify(defaults) ?? '').length <= longestDefaults) return []
  return [{ path, text: `"${path}" must have at most ${longestDefaults} characters of JSON` }]
}

/** What the schema alone cannot see, references aside. */
export function groupFaults({ browserCheckDefaults, environmentVariables }: CheckGroup): Fault[] {
  return [...browserDefaultsFaults(browserCheckDefaults), ...variableFaults(environmentVariables)]
}
