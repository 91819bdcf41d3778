import type { Variable } from '../../contract/variable.ts'
import type { Sealer } from '../../lib/sealing.ts'

/** Settings of a check or a group, with their variables. */
interface WithVariables {
  readonly environmentVariables?: Variable[] | null
}

/** Where the value of the variable with this key is stored (sealed-places). */
type Place = (key: string) => readonly string[]

function withVariables<T extends WithVariables>(settings: T, change: (variable: Variable) => Variable): T {
  const { environmentVariables } = settings
  return environmentVariables
    ? { ...settings, environmentVariables: environmentVariables.map(change) }
    : settings
}

/**
 * The settings as they are stored: the values of secrets sealed. A secret without a value keeps the one that `stored` has
 * under the same key, so that sending back what was read changes nothing.
 */
export function sealSecrets<T extends WithVariables>(
  sealer: Sealer,
  place: Place,
  settings: T,
  stored: WithVariables = {},
): T {
  const kept = new Map(
    stored.environmentVariables?.filter(({ secret }) => secret).map(({ key, value }) => [key, value]),
  )
  return withVariables(settings, (variable) => {
    const { key, value, secret } = variable
    if (!secret) return variable
    const keptValue = value === '' ? kept.get(key) : undefined
    return { ...variable, value: keptValue ?? sealer.seal(value, place(key)) }
  })
}

/** Stored settings as they are shown: the value of a secret is empty. */
export function hideSecrets<T extends WithVariables>(stored: T): T {
  return withVariables(stored, (variable) => (variable.secret ? { ...variable, value: '' } : variable))
}

/** Stored settings for whoever runs checks: secrets in clear. @throws AppError SECRET_UNREADABLE */
export function openSecrets<T extends WithVariables>(sealer: Sealer, place: Place, stored: T): T {
  return withVariables(stored, (variable) => {
    const { key, value, secret } = variable
    return secret ? { ...variable, value: sealer.open(value, place(key)) } : variable
  })
}
