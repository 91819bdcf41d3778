import type { BodyAllowance } from '../body-allowance.ts'
import { type Compression, compressionOf } from './compressions.ts'
import { type Expanded, expand } from './expand.ts'
import { expandMembers } from './gzip-members.ts'

export interface DecompressOptions {
  /** What it expands to is cut here. */
  readonly maxBodyBytes: number
  /** The input itself was cut: its missing end is no fault. */
  readonly partial: boolean
  readonly allowance: BodyAllowance
}

export interface Decompressed {
  readonly chunks: readonly Buffer[]
  readonly capped: boolean
}

// Up to these sizes the event loop is held for less time than a hand-over to another thread costs.
const syncInputBytes = 16_384
const syncOutputBytes = 131_072
const chunkBytes = 65_536

/** A body that is its own expansion would go round for as long as its header is. */
const maxCodings = 5

const tooLarge = 'ERR_BUFFER_TOO_LARGE'
/** Said of a broken member, and of what is no member at all. */
const noMember = 'Z_DATA_ERROR'

/**
 * Undoes codings, last first; one that is not known leaves the rest as it is. What follows the end of the compressed
 * data is ignored, as browsers do. A small body is there at once. @throws Error of node:zlib when one does not hold,
 * Error for more codings than anybody uses, AppError BODY_MEMORY_FULL
 */
export function decompress(
  input: readonly Buffer[],
  codings: readonly string[],
  options: DecompressOptions,
): Decompressed | Promise<Decompressed> {
  if (codings.length > maxCodings) throw new Error('the body has too many content codings')
  const names = codings.toReversed()
  const small = bytesOf(input) <= syncInputBytes && !options.partial
  return (small ? undoAtOnce(input, names, options) : null) ?? undo(input, names, options)
}

/** Null when it takes more than one go. */
function undoAtOnce(
  input: readonly Buffer[],
  names: readonly string[],
  { allowance, maxBodyBytes }: DecompressOptions,
): Decompressed | null {
  const maxOutputLength = Math.min(syncOutputBytes, maxBodyBytes)
  let data: Buffer = Buffer.concat(input)
  for (const name of names) {
    const compression = data.length === 0 ? null : compressionOf(name, [data])
    if (!compression) break
    if (data.length > syncInputBytes) return null
    try {
      data = compression.sync(data, { maxOutputLength })
    } catch (error) {
      if (hasCode(error, tooLarge) || mayHaveMembers(compression, error)) return null
      throw error
    }
  }
  const fault = allowance.use(data.length)
  if (fault) throw fault
  return { chunks: [data], capped: false }
}

async function undo(
  input: readonly Buffer[],
  names: readonly string[],
  options: DecompressOptions,
): Promise<Decompressed> {
  let result: Decompressed = { chunks: input, capped: false }
  for (const name of names) {
    const { chunks, capped } = result
    const compression = bytesOf(chunks) === 0 ? null : compressionOf(name, chunks)
    if (!compression) break
    const partial = options.partial || capped
    const expanded = await expandOne(compression, chunks, { ...options, partial })
    result = { chunks: expanded.chunks, capped: capped || expanded.cut }
  }
  return result
}

async function expandOne(
  compression: Compression,
  input: readonly Buffer[],
  options: DecompressOptions,
): Promise<Expanded> {
  const flush = options.partial ? { finishFlush: compression.flush } : {}
  try {
    return await expand(compression.stream({ chunkSize: chunkBytes, ...flush }), input, options)
  } catch (error) {
    if (!mayHaveMembers(compression, error)) throw error
    return await expandMembers(input, { ...options, ...flush })
  }
}

function mayHaveMembers({ name }: Compression, error: unknown): boolean {
  return name === 'gzip' && hasCode(error, noMember)
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function bytesOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((bytes, chunk) => bytes + chunk.length, 0)
}
