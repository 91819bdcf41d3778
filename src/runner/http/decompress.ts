import type { Transform } from 'node:stream'
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  type ZstdOptions,
  zstdDecompressSync,
} from 'node:zlib'
import type { BodyAllowance } from './body-allowance.ts'

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

interface Settings {
  readonly finishFlush?: number
  readonly chunkSize?: number
}

interface Coding {
  readonly sync: (input: Buffer, settings: { maxOutputLength: number }) => Buffer
  readonly stream: (settings: Settings) => Transform
  /** Takes what can be had of an input without its end. */
  readonly flush: number
}

/** What a decoder holds of what it has given out: 8 MB at most, as for all of HTTP (RFC 9659). */
const zstdWindow: ZstdOptions = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

const gzip: Coding = { sync: gunzipSync, stream: createGunzip, flush: constants.Z_SYNC_FLUSH }
const zlib: Coding = { sync: inflateSync, stream: createInflate, flush: constants.Z_SYNC_FLUSH }
const rawDeflate: Coding = { sync: inflateRawSync, stream: createInflateRaw, flush: constants.Z_SYNC_FLUSH }
const brotli: Coding = {
  sync: brotliDecompressSync,
  stream: createBrotliDecompress,
  flush: constants.BROTLI_OPERATION_FLUSH,
}
const zstd: Coding = {
  sync: (input, settings) => zstdDecompressSync(input, { ...zstdWindow, ...settings }),
  stream: (settings) => createZstdDecompress({ ...zstdWindow, ...settings }),
  flush: constants.ZSTD_e_flush,
}

// Up to these sizes the event loop is held for less time than a hand-over to another thread costs.
const syncInputBytes = 16_384
const syncOutputBytes = 131_072
const chunkBytes = 65_536

/** A body that is its own expansion would go round for as long as its header is. */
const maxCodings = 5

/**
 * Undoes the codings of a Content-Encoding, last first; one that is not known leaves the rest as it is. A small body
 * is there at once. @throws Error of node:zlib when one does not hold, Error for more codings than anybody uses,
 * AppError BODY_MEMORY_FULL
 */
export function decompress(
  input: readonly Buffer[],
  contentEncoding: string,
  options: DecompressOptions,
): Decompressed | Promise<Decompressed> {
  const names = contentEncoding.toLowerCase().split(',').reverse()
  if (names.length > maxCodings) throw new Error('the body has too many content codings')
  const small = bytesOf(input) <= syncInputBytes && !options.partial
  return (small ? undoAtOnce(input, names, options) : null) ?? undo(input, names, options)
}

/** Null when it is too large for that. */
function undoAtOnce(
  input: readonly Buffer[],
  names: readonly string[],
  { allowance, maxBodyBytes }: DecompressOptions,
): Decompressed | null {
  const maxOutputLength = Math.min(syncOutputBytes, maxBodyBytes)
  let data: Buffer = Buffer.concat(input)
  for (const name of names) {
    const coding = codingOf(name.trim(), [data])
    if (!coding) break
    if (data.length > syncInputBytes) return null
    try {
      data = coding.sync(data, { maxOutputLength })
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null
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
    const coding = codingOf(name.trim(), result.chunks)
    if (!coding) break
    result = await expand(coding, result, options)
  }
  return result
}

/** Null for one that is not known, and for nothing at all. */
function codingOf(name: string, data: readonly Buffer[]): Coding | null {
  if (bytesOf(data) === 0) return null
  if (name === 'gzip' || name === 'x-gzip') return gzip
  if (name === 'br') return brotli
  if (name === 'zstd') return zstd
  if (name !== 'deflate') return null
  // Half of the world sends the bare stream, without the header of zlib (RFC 1950 §2.2).
  const [method = 0, flags = 0] = Buffer.concat(data.slice(0, 2).map((chunk) => chunk.subarray(0, 2)))
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0 ? zlib : rawDeflate
}

function expand(coding: Coding, input: Decompressed, options: DecompressOptions): Promise<Decompressed> {
  const { maxBodyBytes, allowance } = options
  const partial = options.partial || input.capped
  return new Promise((resolve, reject) => {
    const stream = coding.stream({ chunkSize: chunkBytes, ...(partial && { finishFlush: coding.flush }) })
    const chunks: Buffer[] = []
    let bytes = 0
    const end = (cut: boolean) => {
      stream.destroy()
      resolve({ chunks, capped: input.capped || cut })
    }
    stream.on('data', (chunk: Buffer) => {
      const room = maxBodyBytes - bytes
      const kept = chunk.length > room ? chunk.subarray(0, room) : chunk
      const fault = allowance.use(kept.length)
      if (fault) {
        stream.destroy(fault)
        return
      }
      chunks.push(kept)
      bytes += kept.length
      if (chunk.length > room) end(true)
    })
    stream.on('end', () => end(false)).on('error', reject)
    for (const chunk of input.chunks) stream.write(chunk)
    stream.end()
  })
}

function bytesOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((bytes, chunk) => bytes + chunk.length, 0)
}
