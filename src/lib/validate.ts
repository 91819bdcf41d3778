import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Format from 'typebox/format'
import Schema from 'typebox/schema'
import Value from 'typebox/value'

/** One thing wrong with an input: where (`request.headers[0].key`), and a sentence that says what is allowed. */
export interface Fault {
  readonly path: string
  readonly text: string
}

export type Validated<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }

interface SchemaError {
  readonly keyword: string
  readonly params: object
  readonly message: string
}

interface SchemaNode {
  readonly type?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly SchemaNode[]
  readonly items?: SchemaNode
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
}

const maxFaults = 20

/**
 * The pattern of a text that both engines store as it is: without U+0000, which PostgreSQL cannot store in one, and without
 * half of a surrogate pair, which UTF-8 cannot say.
 */
export const storable = '^[^\\u0000\\ud800-\\udfff]*$'

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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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

function fitsKind(node: SchemaNode, value: unknown): boolean {
  if (node.const !== undefined) return node.const === value
  if (node.properties && isRecord(value)) {
    return Object.entries(node.properties).every(
      ([key, property]) => property.const === undefined || property.const === value[key],
    )
  }
  if (value === null) return node.type === 'null'
  if (Array.isArray(value)) return node.type === 'array'
  return node.type === typeof value || (node.type === 'integer' && typeof value === 'number')
}

const join = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

/** What is wrong with `value`, place by place; of a union only what the member that was meant has to say. */
function findFaults(node: SchemaNode, value: unknown, path: string): Fault[] {
  if (node.anyOf) {
    const fitting = node.anyOf.filter((member) => fitsKind(member, value))
    if (fitting.length === 1 && fitting[0]) return findFaults(fitting[0], value, path)
    return unionFaults(node, node.anyOf, value, path)
  }
  const inner = innerFaults(node, value, path)
  if (inner.length > 0) return inner
  const own = shallow(node)
  return Schema.Errors(own, value)[1].map((error) => describe(own, value, error, path))
}

function innerFaults(node: SchemaNode, value: unknown, path: string): Fault[] {
  if (node.items && Array.isArray(value)) {
    const { items } = node
    return value.flatMap((item: unknown, index) => findFaults(items, item, `${path}[${index}]`))
  }
  if (!node.properties || !isRecord(value)) return []
  return Object.entries(node.properties).flatMap(([key, property]) => {
    const full = join(path, key)
    if (Object.hasOwn(value, key)) return findFaults(property, value[key], full)
    return node.required?.includes(key) ? [{ path: full, text: `"${full}" is required` }] : []
  })
}

/** The node's own demands, without those on what it holds: these were looked at one by one. */
function shallow({
  properties: _properties,
  items: _items,
  required: _required,
  ...own
}: SchemaNode): SchemaNode {
  return own
}

function unionFaults(
  node: SchemaNode,
  members: readonly SchemaNode[],
  value: unknown,
  path: string,
): Fault[] {
  if (Schema.Check(node, value)) return []
  const tag = Object.entries(members[0]?.properties ?? {}).find(
    ([, property]) => property.const !== undefined,
  )?.[0]
  const tags = tag === undefined ? [] : members.map((member) => member.properties?.[tag]?.const)
  if (tag !== undefined && isRecord(value) && tags.every((known) => known !== undefined)) {
    return findFaults({ enum: tags }, value[tag], join(path, tag))
  }
  return [{ path, text: `${quote(path)} must be ${kinds(node).join(' or ')}${was(value)}` }]
}

function allowed(node: SchemaNode): readonly unknown[] | null {
  if (node.enum) return node.enum
  return node.const === undefined ? null : [node.const]
}

function kinds(node: SchemaNode): string[] {
  if (node.anyOf) return [...new Set(node.anyOf.flatMap(kinds))]
  const values = allowed(node)
  if (values) return [`one of [${values.map((value) => JSON.stringify(value)).join(', ')}]`]
  return [kindNames[node.type ?? ''] ?? `a ${node.type ?? 'value'}`]
}

const kindNames: Readonly<Record<string, string>> = {
  null: 'null',
  integer: 'a whole number',
  array: 'a list',
  object: 'an object',
}

const quote = (path: string) => (path === '' ? 'the input' : `"${path}"`)

function describe(node: SchemaNode, value: unknown, error: SchemaError, path: string): Fault {
  const params = new Map<string, unknown>(Object.entries(error.params))
  const limit = String(params.get('limit'))
  const pattern = String(params.get('pattern'))
  const sentences: Readonly<Record<string, string>> = {
    type: `must be ${kinds(node).join(' or ')}${was(value)}`,
    enum: `must be ${kinds(node).join(' or ')}${was(value)}`,
    const: `must be ${kinds(node).join(' or ')}${was(value)}`,
    minimum: `must be ${limit} or more${was(value)}`,
    maximum: `must be ${limit} or less${was(value)}`,
    minLength: limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`,
    maxLength: `must have at most ${limit} characters`,
    minItems: limit === '1' ? 'must not be empty' : `must have at least ${limit} items`,
    maxItems: `must have at most ${limit} items`,
    uniqueItems: 'must not name an item twice',
    pattern:
      pattern === storable
        ? 'must not contain the character U+0000, nor half of a surrogate pair'
        : `must match ${pattern}${was(value)}`,
    format: `must be a ${String(params.get('format'))} of ISO 8601${was(value)}`,
  }
  return { path, text: `${quote(path)} ${sentences[error.keyword] ?? error.message}` }
}

const shownCharacters = 40

/** `, was 7`: scalars only, shortened, so that a message never carries a whole body. */
function was(value: unknown): string {
  if (typeof value === 'string') {
    return `, was ${JSON.stringify(value.length > shownCharacters ? `${value.slice(0, shownCharacters)}…` : value)}`
  }
  if (value === undefined) return ''
  return isRecord(value)
    ? ', was an object'
    : Array.isArray(value)
      ? ', was a list'
      : `, was ${String(value)}`
}
