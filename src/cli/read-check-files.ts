import { ApiCheck } from '../contract/checks/api/check.ts'
import type { CheckDefinition } from '../contract/run.ts'
import { hashId } from '../lib/ids.ts'
import { type Fault, validator } from '../lib/validate.ts'
import { assertionFaults } from '../rules/assertions/assertion-faults.ts'
import { definitionOf } from '../rules/check-definition.ts'
import { requestUrlFault } from '../rules/request-url.ts'
import { templateFaults } from '../rules/template/template-faults.ts'
import { readCheckDocuments, type WrittenCheck } from './check-documents.ts'
import { unknownKeyFaults } from './unknown-keys.ts'

export interface CheckFile {
  readonly definitions: readonly CheckDefinition[]
  /** Each names the file and the place in it. */
  readonly faults: readonly string[]
}

const readCheck = validator(ApiCheck)

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
  const read = readCheck(check)
  const faults = [
    ...typeFault(check),
    ...unknownKeyFaults(check, at === '' ? ['checks'] : []),
    ...(read.kind === 'invalid' ? read.faults : requestFaults(read.value)),
  ]
  const definition = read.kind === 'valid' ? defined(read.value, hashId(file, at, read.value.name)) : null
  return { definition, faults: faults.map(({ text }) => (at === '' ? text : `${at}: ${text}`)) }
}

function typeFault(check: unknown): Fault[] {
  const given = typeof check === 'object' && check !== null && 'checkType' in check ? check.checkType : null
  const type = given ?? 'API'
  return type === 'API'
    ? []
    : [{ path: 'checkType', text: `"checkType" must be "API", was ${JSON.stringify(type)}` }]
}

/** What the schema alone cannot see. */
function requestFaults({ request }: ApiCheck): Fault[] {
  const text = requestUrlFault(request.url)
  return [
    ...(text === null ? [] : [{ path: 'request.url', text }]),
    ...templateFaults(request),
    ...assertionFaults(request.assertions),
  ]
}

function defined(check: ApiCheck, checkId: string): CheckDefinition {
  const variables = check.environmentVariables ?? []
  return definitionOf(check, { checkId, version: 1, variables, clientCertificates: [] })
}
