import { existsSync, readFileSync } from 'node:fs'
import Ajv, { type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

/** The contract that existing clients speak; it lies beside the project and may be absent. */
const path = new URL('../../../shared/contract/openapi.json', import.meta.url)
export const contractIsHere = existsSync(path)
export const skippedWithoutContract = contractIsHere ? '' : ' (skipped: ../shared/contract is not here)'

interface Operation {
  readonly parameters?: readonly { readonly name?: string; readonly in?: string }[]
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>
  >
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly 'x-alt-definitions'?: Readonly<Record<string, object>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

const contract: Contract = contractIsHere
  ? JSON.parse(readFileSync(path, 'utf8'))
  : { paths: {}, components: { schemas: {} } }

/** `GET /v1/checks`, of every operation. */
export const contractOperations: readonly string[] = Object.entries(contract.paths).flatMap(
  ([route, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
)

/** How the contract's generator wrote down "an object": no answer could ever be equal to it. */
const anyAlertSettings = '[{"value":{}}]'

/** OpenAPI 3.0 says `nullable: true` where JSON Schema has a list of types, and may leave the type out. */
function toJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toJsonSchema)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => [key, toJsonSchema(value)])
  const { nullable, ...schema }: Record<string, unknown> = Object.fromEntries(entries)
  if (JSON.stringify(schema['enum']) === anyAlertSettings) delete schema['enum']
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema
}

const ajv = new Ajv.default({ strict: false, allErrors: true })
addFormats.default(ajv)
// Its own examples of a date are timestamps (`default: 2026-05-04T03:09:09.656Z`): both are what its clients read.
ajv.addFormat('date', /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?$/)
const validators = new Map<string, ValidateFunction>()

function compile(key: string, schema: object): ValidateFunction {
  const known = validators.get(key)
  if (known) return known
  const validate = ajv.compile({
    ...(toJsonSchema(schema) as object),
    components: toJsonSchema(contract.components) as object,
    // Where the contract says one of several, its members lie here.
    'x-alt-definitions': toJsonSchema(contract['x-alt-definitions'] ?? {}) as object,
  })
  validators.set(key, validate)
  return validate
}

const operationOf = (method: string, route: string) => contract.paths[route]?.[method.toLowerCase()]

/** Whether the contract has the operation answer in pages. */
export function isPaged(method: string, route: string): boolean {
  return operationOf(method, route)?.parameters?.some(({ name }) => name === 'page') === true
}

/** What is wrong with an answer, by the contract's own schema for this operation and status; [] when nothing is. */
export function contractFaults(method: string, route: string, status: number, body: unknown): string[] {
  const response = operationOf(method, route)?.responses[String(status)]
  if (!response) return [`${method} ${route} has no response ${status} in the contract`]
  const schema = response.content?.['application/json']?.schema
  if (!schema) return []
  const validate = compile(`${method} ${route} ${status}`, schema)
  validate(body)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
