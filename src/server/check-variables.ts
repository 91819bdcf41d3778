import type { ApiCheck } from '../contract/checks/api/check.ts'
import type { Variable } from '../contract/variable.ts'
import type { Sealer } from '../lib/sealing.ts'
import { sealedPlaces } from './sealed-places.ts'

type WithVariables = Pick<ApiCheck, 'environmentVariables'>

function withVariables<T extends WithVariables>(check: T, change: (variable: Variable) => Variable): T {
  const { environmentVariables } = check
  return environmentVariables ? { ...check, environmentVariables: environmentVariables.map(change) } : check
}

/**
 * The check as it is stored: the values of its secrets sealed. A secret without a value keeps the one that `stored` has
 * under the same key, so that sending back what was read changes nothing.
 */
export function sealSecrets(
  sealer: Sealer,
  checkId: string,
  check: ApiCheck,
  stored: WithVariables = {},
): ApiCheck {
  const kept = new Map(
    stored.environmentVariables?.filter(({ secret }) => secret).map(({ key, value }) => [key, value]),
  )
  return withVariables(check, (variable) => {
    const { key, value, secret } = variable
    if (!secret) return variable
    const keptValue = value === '' ? kept.get(key) : undefined
    return { ...variable, value: keptValue ?? sealer.seal(value, sealedPlaces.variableOfCheck(checkId, key)) }
  })
}

/** A stored check as it is shown: the value of a secret is empty. */
export function hideSecrets(stored: ApiCheck): ApiCheck {
  return withVariables(stored, (variable) => (variable.secret ? { ...variable, value: '' } : variable))
}

/** The variables of a stored check, for whoever runs it. @throws AppError SECRET_UNREADABLE */
export function openVariables(sealer: Sealer, checkId: string, stored: WithVariables): readonly Variable[] {
  const open = (variable: Variable) => {
    const { key, value, secret } = variable
    if (!secret) return variable
    return { ...variable, value: sealer.open(value, sealedPlaces.variableOfCheck(checkId, key)) }
  }
  return withVariables(stored, open).environmentVariables ?? []
}
