import Schema from 'typebox/schema'
import { fitsKind, isRecord, type SchemaNode, storable } from './schema-node.ts'

/** One thing wrong with an input: where (`request.headers[0].key`), and a sentence that says what is allowed. */
export interface Fault {
  readonly path: string
  readonly text: string
}

interface SchemaError {
  readonly keyword: string
  readonly params: object
  readonly message: string
}

const join = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

/** What is wrong with `value`, place by place; of a union only what the member that was meant has to say. */
export function findFaults(node: SchemaNode, value: unknown, path: string): Fault[] {
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
