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
  zstdDecompressSync,
} from 'node:zlib'

export interface DecompressOptions {
  /** What it expands to is cut here. */
  readonly maxBytes: number
  /** The input itself was cut: its missing end is no fault. */
  readonly partial: boolean
}

export interface Decompressed {
  readonly data: Buffer
  readonly capped: boolean
}

interface Coding {
  readonly sync: (input: Buffer, options: { maxOutputLength: number; finishFlush?: number }) => Buffer
  readonly stream: (options: { finishFlush?: number }) => Transform
  /** Takes what can be had of an input without its end. */
  readonly flush: number
}

const gzip: Coding = { sync: gunzipSync, stream: createGunzip, flush: constants.Z_SYNC_FLUSH }
const zlib: Coding = { sync: inflateSync, stream: createInflate, flush: constants.Z_SYNC_FLUSH }
const rawDeflate: Coding = { sync: inflateRawSync, stream: createInflateRaw, flush: constants.Z_SYNC_FLUSH }
const brotli: Coding = {
  sync: brotliDecompressSync,
  stream: createBrotliDecompress,
  flush: constants.BROTLI_OPERATION_FLUSH,
}
const zstd: Coding = { sync: zstdDecompressSync, stream: createZstdDecompress, flush: constants.ZSTD_e_flush }

// Up to these sizes the event loop is held for less time than a hand-over to another thread costs.
const syncInputBytes = 16_384
const syncOutputBytes = 131_072

/** A body that is its own expansion would go round for as long as its header is. */
const maxCodings = 5

/**
 * Undoes the codings of a Content-Encoding, last first; one that is not known leaves the rest as it is.
 * @throws Error of node:zlib when one does not hold, or Error for more codings than anybody uses
 */
export async function decompress(
  input: Buffer,
  contentEncoding: string,
  options: DecompressOptions,
): Promise<Decompressed> {
  const names = contentEncoding.toLowerCase().split(',').reverse()
  if (names.length > maxCodings) throw new Error('the body has too many content codings')
  let result: Decompressed = { data: input, capped: false }
  for (const name of names) {
    const coding = result.data.length === 0 ? null : codingOf(name.trim(), result.data)
    if (!coding) break
    const partial = options.partial || result.capped
    result = trySync(coding, result, partial) ?? (await expand(coding, result, { ...options, partial }))
  }
  return result
}

function codingOf(name: string, data: Buffer): Coding | null {
  if (name === 'gzip' || name === 'x-gzip') return gzip
  if (name === 'br') return brotli
  if (name === 'zstd') return zstd
  if (name !== 'deflate') return null
  // Half of the world sends the bare stream: the zlib header names method 8.
  return ((data[0] ?? 0) & 0x0f) === 8 ? zlib : rawDeflate
}

/** Null when the body is too large for it. */
function trySync(coding: Coding, { data, capped }: Decompressed, partial: boolean): Decompressed | null {
  if (data.length > syncInputBytes || partial) return null
  try {
    return { data: coding.sync(data, { maxOutputLength: syncOutputBytes }), capped }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null
    throw error
  }
}

function expand(
  coding: Coding,
  { data, capped }: Decompressed,
  options: DecompressOptions,
): Promise<Decompressed> {
  const { maxBytes, partial } = options
  return new Promise((resolve, reject) => {
    const stream = coding.stream(partial ? { finishFlush: coding.flush } : {})
    const chunks: Buffer[] = []
    let bytes = 0
    const end = (cut: boolean) => {
      stream.destroy()
      resolve({ data: Buffer.concat(chunks).subarray(0, maxBytes), capped: capped || cut })
    }
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) end(true)
    })
    stream.on('end', () => end(false)).on('error', reject)
    stream.end(data)
  })
}
