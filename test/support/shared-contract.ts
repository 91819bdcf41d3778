import { existsSync, readFileSync } from 'node:fs'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'

/** The contract that existing clients speak; it lies beside the project and may be absent. */
const path = new URL('../../../shared/contract/openapi.json', import.meta.url)
export const contractIsHere = existsSync(path)
export const skippedWithoutContract = contractIsHere ? '' : ' (skipped: ../shared/contract is not here)'

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>
  >
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

/** OpenAPI 3.0 says `nullable: true` where JSON Schema has a list of types, and may leave the type out. */
function toJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toJsonSchema)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => [key, toJsonSchema(value)])
  const { nullable, ...schema }: Record<string, unknown> = Object.fromEntries(entries)
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema
}

/** What is wrong with an answer, by the contract's own schema for this operation and status; [] when nothing is. */
export function contractFaults(method: string, route: string, status: number, body: unknown): string[] {
  const contract: Contract = JSON.parse(readFileSync(path, 'utf8'))
  const response = contract.paths[route]?.[method.toLowerCase()]?.responses[String(status)]
  if (!response) return [`${method} ${route} has no response ${status} in the contract`]
  const schema = response.content?.['application/json']?.schema
  if (!schema) return []
  const ajv = new Ajv.default({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const validate = ajv.compile({
    ...(toJsonSchema(schema) as object),
    components: toJsonSchema(contract.components) as object,
  })
  validate(body)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
