export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

/** What is compared; undefined where there is nothing. */
export type Value = JsonValue | undefined

export const isList = (value: Value): value is JsonValue[] => Array.isArray(value)

export function isObject(value: Value): value is { [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The elements of a list, the members' values of an object, nothing of anything else. */
export function childrenOf(value: Value): readonly JsonValue[] {
  if (isList(value)) return value
  return isObject(value) ? Object.values(value) : []
}

/** Equal as JSON: the order of an object's members does not count, a list's does. */
export function isSameJson(one: Value, other: Value): boolean {
  if (isList(one)) {
    return (
      isList(other) &&
      one.length === other.length &&
      one.every((element, index) => isSameJson(element, other[index]))
    )
  }
  if (!isObject(one) || !isObject(other)) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  )
}
