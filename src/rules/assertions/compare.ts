import type { Comparison } from '../../contract/assertion.ts'
import { containsText } from './contains-text.ts'
import { childrenOf, isList, isObject, isSameJson, type JsonValue, type Value } from './json-value.ts'

/** What the user wrote to compare with: read as a number or as JSON when that is first asked for, and once. */
class Target {
  readonly text: string
  #number: { readonly value: number | null } | undefined
  #json: { readonly value: Value } | undefined

  constructor(text: string) {
    this.text = text
  }

  get number(): number | null {
    this.#number ??= { value: decimalOf(this.text) }
    return this.#number.value
  }

  get json(): Value {
    this.#json ??= { value: parse(this.text) }
    return this.#json.value
  }
}

const positive = {
  EQUALS: equals,
  HAS_KEY: (value, { text }) => isObject(value) && Object.hasOwn(value, text),
  HAS_VALUE: (value, target) => childrenOf(value).some((member) => equals(member, target)),
  IS_EMPTY: isEmpty,
  GREATER_THAN: (value, { number }) => inOrder(number, decimalOf(value)),
  LESS_THAN: (value, { number }) => inOrder(decimalOf(value), number),
  CONTAINS: contains,
  IS_NULL: (value) => value === undefined || value === null,
} as const satisfies Partial<Record<Comparison, (value: Value, target: Target) => boolean>>

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

/** Tells of one value after another whether the comparison holds; `text` is what the user wrote (semantics §1). */
export function comparer(comparison: Comparison, text: string): (value: Value) => boolean {
  const target = new Target(text)
  if (isPositive(comparison)) return (value) => positive[comparison](value, target)
  const opposite = positive[opposites[comparison]]
  return (value) => !opposite(value, target)
}

/** Numbers by value, texts by their characters, true, false and null by name, lists and objects as JSON. */
function equals(value: Value, target: Target): boolean {
  if (typeof value === 'number') return target.number === value
  if (typeof value === 'string') return value === target.text
  if (typeof value === 'object' && value !== null) return isSameJson(value, target.json)
  return value !== undefined && String(value) === target.text
}

/** A list has an element, a text a part; of anything else it is asked of its JSON. */
function contains(value: Value, target: Target): boolean {
  if (value === undefined || value === null) return false
  if (isList(value)) return value.some((element) => equals(element, target))
  return containsText(typeof value === 'string' ? value : JSON.stringify(value), target.text)
}

function isEmpty(value: Value): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && childrenOf(value).length === 0
}

/** No part of it can take what another could: a text of any length is read once. */
const decimal = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i

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
