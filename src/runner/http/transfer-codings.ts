import type { ReceivedHeaders } from './response-head.ts'

export interface TransferCodings {
  /** Its chunks tell where the body ends. */
  readonly chunked: boolean
  /** How the body is compressed within them, in the order of the header. */
  readonly compressions: readonly string[]
}

const none: TransferCodings = { chunked: false, compressions: [] }

/** Those that are registered (RFC 9112 §7) and that anybody sends. */
const compressions: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate'])

/**
 * What Transfer-Encoding says. Null where the body could not be understood: a coding that nobody knows, or chunks that
 * are not the last (RFC 9112 §6.1).
 */
export function transferCodings(headers: ReceivedHeaders): TransferCodings | null {
  const value = headers['transfer-encoding']
  if (value === undefined) return none
  const names = String(value)
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
  const chunked = names.at(-1) === 'chunked'
  const others = chunked ? names.slice(0, -1) : names
  return others.every((name) => compressions.has(name)) ? { chunked, compressions: others } : null
}
