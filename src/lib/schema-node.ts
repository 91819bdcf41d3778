/** A JSON schema as it is looked into. */
export interface SchemaNode {
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

/**
 * The pattern of a text that both engines store as it is: without U+0000, which PostgreSQL cannot store in one, and without
 * half of a surrogate pair, which UTF-8 cannot say.
 */
export const storable = '^[^\\u0000\\ud800-\\udfff]*$'

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether the value is of the kind that the node speaks of, whatever else it demands. */
export function fitsKind(node: SchemaNode, value: unknown): boolean {
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
