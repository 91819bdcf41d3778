import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { parseAllDocuments } from 'yaml'

/** A check as it stands in a file; `at`: where, empty for one that is the whole document. */
export interface WrittenCheck {
  readonly at: string
  readonly check: unknown
}

export interface WrittenChecks {
  readonly checks: readonly WrittenCheck[]
  /** Of the documents that hold them. */
  readonly faults: readonly string[]
}

/**
 * The checks of a JSON or YAML file, `-` for standard input: of each of its documents one check, a list of them, or an
 * object with a list under `checks`. Beside that list only keys that begin with `x-` stand, for what aliases refer to.
 */
export async function readCheckDocuments(file: string): Promise<WrittenChecks> {
  const documents = await documentsOf(file)
  if ('fault' in documents) return { checks: [], faults: [documents.fault] }
  const read = documents.values.map(checksIn)
  return { checks: read.flatMap(({ checks }) => checks), faults: read.flatMap(({ faults }) => faults) }
}

type Documents = { readonly values: readonly unknown[] } | { readonly fault: string }

async function documentsOf(file: string): Promise<Documents> {
  try {
    const source = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
    const documents = parseAllDocuments(source)
    const [first] = documents.flatMap(({ errors }) => errors)
    if (first) return { fault: `is neither JSON nor YAML: ${firstLine(first.message)}` }
    // Aliases are expanded only so far, so that a small file cannot grow without bound.
    return { values: documents.map((document): unknown => document.toJS({ maxAliasCount: 100 })) }
  } catch (cause) {
    return { fault: `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}` }
  }
}

/** Without the colon that ends it where the lines of the document follow. */
const firstLine = (message: string) => (message.split('\n', 1)[0] ?? '').replace(/:$/, '')

function checksIn(document: unknown): WrittenChecks {
  if (Array.isArray(document)) return { checks: listed(document), faults: [] }
  if (typeof document !== 'object' || document === null || !('checks' in document)) {
    return { checks: [{ at: '', check: document }], faults: [] }
  }
  const { checks, ...others } = document
  if (!Array.isArray(checks)) return { checks: [], faults: ['"checks" must be a list'] }
  const faults = Object.keys(others)
    .filter((key) => !key.startsWith('x-'))
    .map(
      (key) =>
        `${JSON.stringify(key)} is not a known key: only keys that begin with x- stand beside "checks"`,
    )
  return { checks: listed(checks), faults }
}

const listed = (checks: readonly unknown[]): WrittenCheck[] =>
  checks.map((check, index) => ({ at: `checks[${index}]`, check }))
