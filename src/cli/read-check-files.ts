import type { TSchema } from 'typebox'
import { checkSchemas, type TypedCheck } from '../contract/check-schemas.ts'
import { type CheckType, runnableTypes } from '../contract/check-types.ts'
import type { AnyCheck } from '../contract/checks/any-check.ts'
import type { CheckDefinition } from '../contract/run.ts'
import type { Fault } from '../lib/find-faults.ts'
import { hashId } from '../lib/ids.ts'
import { validator } from '../lib/validate.ts'
import { definitionOf } from '../rules/check-definition.ts'
import { requestFaults } from '../rules/request-faults.ts'
import { readCheckDocuments, type WrittenCheck } from './check-documents.ts'
import { unknownKeyFaults } from './unknown-keys.ts'

export interface CheckFile {
  readonly definitions: readonly CheckDefinition[]
  /** Each names the file and the place in it. */
  readonly faults: readonly string[]
}

function readerOf<T extends CheckType, S extends TSchema>(type: T, schema: S) {
  const read = validator(schema)
  return (document: unknown) => {
    const result = read(document)
    return result.kind === 'valid' ? { kind: 'valid' as const, typed: { type, check: result.value } } : result
  }
}

type Read =
  | { readonly kind: 'valid'; readonly typed: TypedCheck }
  | { readonly kind: 'invalid'; readonly faults: readonly Fault[] }

const readers: { readonly [T in CheckType]: (document: unknown) => Read } = {
  API: readerOf('API', checkSchemas.API.create),
  DNS: readerOf('DNS', checkSchemas.DNS.create),
  HEARTBEAT: readerOf('HEARTBEAT', checkSchemas.HEARTBEAT.create),
  ICMP: readerOf('ICMP', checkSchemas.ICMP.create),
  TCP: readerOf('TCP', checkSchemas.TCP.create),
  URL: readerOf('URL', checkSchemas.URL.create),
}

/** Reads a JSON or YAML file of checks; `-` is standard input. Nothing of a file with a fault is to be run. */
export async function readCheckFile(file: string): Promise<CheckFile> {
  const written = await readCheckDocuments(file)
  const read = written.checks.map((check) => readWritten(file, check))
  const found = [...written.faults, ...read.flatMap(({ faults }) => faults)]
  const none = written.checks.length === 0 && found.length === 0
  return {
    definitions: read.flatMap(({ definition }) => definition ?? []),
    faults: (none ? ['holds no checks'] : found).map((text) => `${file}: ${text}`),
  }
}

interface ReadCheck {
  readonly definition: CheckDefinition | null
  readonly faults: readonly string[]
}

function readWritten(file: string, { at, check }: WrittenCheck): ReadCheck {
  const given = typeof check === 'object' && check !== null && 'checkType' in check ? check.checkType : null
  const type = runnableTypes.find((one) => one === (given ?? 'API'))
  const found = type ? readAs(type, file, { at, check }) : { definition: null, faults: [typeFault(given)] }
  return { ...found, faults: found.faults.map((text) => (at === '' ? text : `${at}: ${text}`)) }
}

function typeFault(given: unknown): string {
  const types = runnableTypes.map((type) => `"${type}"`).join(', ')
  return `"checkType" must be one of ${types}, was ${JSON.stringify(given)}`
}

function readAs(type: CheckType, file: string, { at, check }: WrittenCheck): ReadCheck {
  const read = readers[type](check)
  const unknown = unknownKeyFaults(type, check, at === '' ? ['checks'] : [])
  const known = read.kind === 'invalid' ? read.faults : requestFaults(read.typed)
  const faults = [...unknown, ...known].map(({ text }) => text)
  if (read.kind === 'invalid') return { definition: null, faults }
  const definition = defined(read.typed, hashId(file, at, read.typed.check.name))
  return { definition, faults: definition ? faults : [...faults, nothingToRun] }
}

const nothingToRun =
  '"request" is required to run a heartbeat: without one it only waits for pings, at a service'

function defined(typed: TypedCheck, checkId: string): CheckDefinition | null {
  const check: AnyCheck = typed.check
  const variables = check.environmentVariables ?? []
  return definitionOf(typed, null, { checkId, version: 1, variables, clientCertificates: [] })
}
