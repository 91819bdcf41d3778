import type { Comparison } from '../../contract/assertion.ts'
import type { JsonValue } from './json-path.ts'

/** What is compared; undefined where the source has nothing to give. */
export type Value = JsonValue | undefined

const positive = {
  EQUALS: equals,
  HAS_KEY: (value, target) => isObject(value) && Object.hasOwn(value, target),
  HAS_VALUE: (value, target) => membersOf(value).some((member) => equals(member, target)),
  IS_EMPTY: isEmpty,
  GREATER_THAN: (value, target) => inOrder(decimalOf(target), decimalOf(value)),
  LESS_THAN: (value, target) => inOrder(decimalOf(value), decimalOf(target)),
  CONTAINS: contains,
  IS_NULL: (value) => value === undefined || value === null,
} as const satisfies Partial<Record<Comparison, (value: Value, target: string) => boolean>>

/** Each is the exact opposite of its counterpart, of what is not there too. */
const opposites = {
  NOT_EQUALS: 'EQUALS',
  NOT_HAS_KEY: 'HAS_KEY',
  NOT_HAS_VALUE: 'HAS_VALUE',
  NOT_EMPTY: 'IS_EMPTY',
  NOT_CONTAINS: 'CONTAINS',
  NOT_NULL: 'IS_NULL',
} as const satisfies Partial<Record<Comparison, keyof typeof positive>>

const isPositive = (comparison: Comparison): comparison is keyof typeof positive => comparison in positive

/** Whether the comparison holds of one value; `target` is the text that the user wrote (semantics §1). */
export function compare(comparison: Comparison, value: Value, target: string): boolean {
  return isPositive(comparison)
    ? positive[comparison](value, target)
    : !positive[opposites[comparison]](value, target)
}

/** Numbers by value, texts by their characters, true, false and null by name, lists and objects as JSON. */
function equals(value: Value, target: string): boolean {
  if (typeof value === 'number') return decimalOf(target) === value
  if (typeof value === 'string') return value === target
  if (typeof value === 'object' && value !== null) return isSameJson(value, parse(target))
  return value !== undefined && String(value) === target
}

/** A list has an element, a text a part; of anything else it is asked of its JSON. */
function contains(value: Value, target: string): boolean {
  if (value === undefined || value === null) return false
  if (Array.isArray(value)) return value.some((element) => equals(element, target))
  return (typeof value === 'string' ? value : JSON.stringify(value)).includes(target)
}

function isEmpty(value: Value): boolean {
  if (value === undefined || value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isObject(value) && Object.keys(value).length === 0
}

function membersOf(value: Value): readonly JsonValue[] {
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value) : []
}

function isObject(value: Value): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const decimal = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i

/** A number, or a text that writes one in decimal; anything else has no order. */
function decimalOf(value: Value): number | null {
  if (typeof value === 'number') return value
  return typeof value === 'string' && decimal.test(value) ? Number(value) : null
}

function inOrder(smaller: number | null, greater: number | null): boolean {
  return smaller !== null && greater !== null && smaller < greater
}

function parse(text: string): Value {
  try {
    const value: JsonValue = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** Equal as JSON: the order of an object's members does not count, a list's does. */
function isSameJson(one: Value, other: Value): boolean {
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((element, index) => isSameJson(element, other[index]))
    )
  }
  if (!isObject(one) || !isObject(other)) return one === other
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key], other[key]))
  )
}
