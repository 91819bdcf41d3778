import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { parseAllDocuments } from 'yaml'
import { ApiCheck } from '../contract/checks/api/check.ts'
import type { CheckDefinition } from '../contract/run.ts'
import { hashId } from '../lib/ids.ts'
import { type Fault, validator } from '../lib/validate.ts'
import { definitionOf } from '../rules/check-definition.ts'
import { requestUrlFault } from '../rules/request-url.ts'
import { templateFaults } from '../rules/template/template-faults.ts'

export interface CheckFile {
  readonly definitions: readonly CheckDefinition[]
  /** Each text names the file and the place in it. */
  readonly faults: readonly Fault[]
}

const readCheck = validator(ApiCheck)

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One check, a list of them, or an object with a list under `checks`. */
function checksIn(document: unknown): { readonly at: string; readonly check: unknown }[] {
  const list = isRecord(document) && Array.isArray(document['checks']) ? document['checks'] : document
  if (!Array.isArray(list)) return [{ at: '', check: list }]
  return list.map((check: unknown, index) => ({ at: `checks[${index}]`, check }))
}

function typeFault(check: unknown): Fault[] {
  const type = isRecord(check) ? (check['checkType'] ?? 'API') : 'API'
  return type === 'API'
    ? []
    : [{ path: 'checkType', text: `"checkType" must be "API", was ${JSON.stringify(type)}` }]
}

function requestFaults({ request }: ApiCheck): Fault[] {
  const text = requestUrlFault(request.url)
  return [...(text === null ? [] : [{ path: 'request.url', text }]), ...templateFaults(request)]
}

async function documentsOf(file: string): Promise<readonly unknown[] | Fault> {
  try {
    const source = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
    const documents = parseAllDocuments(source)
    const [first] = documents.flatMap(({ errors }) => errors)
    if (first)
      return { path: file, text: `${file}: is neither JSON nor YAML: ${first.message.split('\n', 1)[0]}` }
    // Aliases are expanded only so far, so that a small file cannot grow without bound.
    return documents.map((document): unknown => document.toJS({ maxAliasCount: 100 }))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return { path: file, text: `${file}: cannot be read: ${reason}` }
  }
}

/** Reads a JSON or YAML file of checks; `-` is standard input. Nothing of a file with a fault is to be run. */
export async function readCheckFile(file: string): Promise<CheckFile> {
  const documents = await documentsOf(file)
  if ('text' in documents) return { definitions: [], faults: [documents] }
  const definitions: CheckDefinition[] = []
  const faults: Fault[] = []
  for (const { at, check } of documents.flatMap(checksIn)) {
    const read = readCheck(check)
    const found = [
      ...typeFault(check),
      ...(read.kind === 'invalid' ? read.faults : requestFaults(read.value)),
    ]
    faults.push(
      ...found.map(({ path, text }) => ({ path, text: `${file}: ${at === '' ? '' : `${at}: `}${text}` })),
    )
    if (read.kind === 'valid' && found.length === 0)
      definitions.push(
        definitionOf(read.value, {
          checkId: hashId(file, at, read.value.name),
          version: 1,
          variables: read.value.environmentVariables ?? [],
          clientCertificates: [],
        }),
      )
  }
  if (definitions.length === 0 && faults.length === 0)
    faults.push({ path: file, text: `${file}: holds no checks` })
  return { definitions, faults }
}
