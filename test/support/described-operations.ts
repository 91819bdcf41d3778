import type { App } from '../../src/server/http/app-type.ts'

/** A JSON Schema, as far as the description of the API has them. */
export interface SchemaNode {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly SchemaNode[]
  readonly items?: SchemaNode
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly pattern?: string
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
}

export interface DescribedOperation {
  /** `GET /v1/checks/{id}` */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly isPublic: boolean
  readonly query: readonly { readonly name: string; readonly schema: SchemaNode }[]
  readonly body: SchemaNode | undefined
}

interface Parameter {
  readonly name?: string
  readonly in?: string
  readonly schema?: SchemaNode
}

interface Described {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: SchemaNode }>> }
  readonly security?: readonly object[]
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, SchemaNode>> }
}

/** With what its references point to in their place. */
function resolved(node: SchemaNode, schemas: Description['components']['schemas']): SchemaNode {
  const named = node.$ref === undefined ? node : schemas[node.$ref.split('/').at(-1) ?? '']
  if (!named) throw new Error(`the description has no ${node.$ref}`)
  const { anyOf, items, properties } = named
  const within = (inner: SchemaNode) => resolved(inner, schemas)
  return {
    ...named,
    ...(anyOf && { anyOf: anyOf.map(within) }),
    ...(items && { items: within(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, within(inner)])),
    }),
  }
}

function toOperation(method: string, path: string, operation: Described, description: Description) {
  const { schemas } = description.components
  const verb = method.toUpperCase() as DescribedOperation['method']
  const body = operation.requestBody?.content['application/json']?.schema
  const query = (operation.parameters ?? []).flatMap(({ name, in: place, schema }) =>
    name !== undefined && place === 'query' && schema ? [{ name, schema: resolved(schema, schemas) }] : [],
  )
  return {
    name: `${verb} ${path}`,
    method: verb,
    path,
    isPublic: operation.security?.length === 0,
    query,
    body: body && resolved(body, schemas),
  }
}

/** Every operation that the running service has, the agents' own aside. */
export async function describedOperations(app: App): Promise<DescribedOperation[]> {
  const description: Description = (await app.inject('/documentation/json')).json()
  return Object.entries(description.paths)
    .filter(([path]) => !path.startsWith('/agent/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => toOperation(method, path, operation, description)),
    )
}
