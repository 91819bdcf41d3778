import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Format from 'typebox/format'
import Value from 'typebox/value'
import { type Fault, findFaults } from './find-faults.ts'
import { fitsKind, isRecord, type SchemaNode } from './schema-node.ts'

export type Validated<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }

const maxFaults = 20

/** RFC 3339, or a bare calendar date. */
const dateTime = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/
Format.Set('date-time', (text) => dateTime.test(text) && !Number.isNaN(Date.parse(text)))

export interface ValidatorOptions {
  /** Query strings and headers are text: turn them into the numbers, booleans and lists that the schema asks for. */
  readonly convert?: boolean
}

/**
 * A checker of untrusted input. Unknown keys are dropped, defaults filled at every depth, and null for an optional
 * field that cannot be null counts as left out (semantics §2). The input itself is not changed.
 */
export function validator<T extends TSchema>(
  schema: T,
  options: ValidatorOptions = {},
): (input: unknown) => Validated<Static<T>> {
  // When it is first needed: most of an API's many schemas are not, in the life of a short process.
  const compile = () => Compile(schema)
  let compiled: ReturnType<typeof compile> | undefined
  const node: SchemaNode = schema
  return (input) => {
    const lenient = prepare(node, input)
    const value = options.convert
      ? keepOddNumerals(input, Value.Convert(schema, withLists(node, lenient)))
      : lenient
    compiled ??= compile()
    if (compiled.Check(value)) return { kind: 'valid', value }
    const faults = findFaults(node, value, '').slice(0, maxFaults)
    return {
      kind: 'invalid',
      faults: faults.length > 0 ? faults : [{ path: '', text: 'the input does not fit its schema' }],
    }
  }
}

/** One item where a list is asked for becomes a list of it: Convert does so too, but not for names such as `metrics[]`. */
function withLists({ properties }: SchemaNode, value: unknown): unknown {
  if (!properties || !isRecord(value)) return value
  const entries = Object.entries(value).map(([key, item]) => {
    const single = properties[key]?.items && !Array.isArray(item)
    return [key, single ? [item] : item]
  })
  return Object.fromEntries(entries)
}

const numeral = /^-?\d+(\.\d+)?$/

/** A text that became another number than the one it says, as `1.5`, `0x1` and `true` become 1, stays the text it was. */
function keepOddNumerals(given: unknown, converted: unknown): unknown {
  if (typeof converted === 'number' && typeof given === 'string')
    return numeral.test(given) && Number(given) === converted ? converted : given
  if (!isRecord(given) || !isRecord(converted)) return converted
  const entries = Object.entries(converted)
  return Object.fromEntries(entries.map(([key, value]) => [key, keepOddNumerals(given[key], value)]))
}

function acceptsNull(node: SchemaNode): boolean {
  if (node.anyOf) return node.anyOf.some(acceptsNull)
  return node.type === 'null' || node.const === null || (!node.type && !node.enum && node.const === undefined)
}

/** A copy with unknown keys dropped and defaults filled. A union is entered where one member fits the value's kind. */
function prepare(node: SchemaNode, input: unknown): unknown {
  const value = input === undefined && node.default !== undefined ? structuredClone(node.default) : input
  if (node.anyOf) {
    const fitting = node.anyOf.filter((member) => fitsKind(member, value))
    return fitting.length === 1 && fitting[0] ? prepare(fitting[0], value) : value
  }
  if (node.properties && isRecord(value)) return prepareObject(node, node.properties, value)
  if (node.items && Array.isArray(value)) {
    const { items, maxItems = value.length } = node
    // One more than may be is too many already, and none of the millions behind it costs anything.
    return value.slice(0, maxItems + 1).map((item: unknown) => prepare(items, item))
  }
  return value
}

function prepareObject(
  node: SchemaNode,
  properties: Readonly<Record<string, SchemaNode>>,
  value: Record<string, unknown>,
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [key, property] of Object.entries(properties)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined
    const optional = property.default !== undefined || !node.required?.includes(key)
    const leftOut = given === null && optional && !acceptsNull(property)
    const prepared = prepare(property, leftOut ? undefined : given)
    if (prepared !== undefined) result[key] = prepared
  }
  return result
}
