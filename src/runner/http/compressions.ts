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

interface Settings {
  readonly finishFlush?: number
  readonly chunkSize?: number
}

/** One way to compress a body. All of them ignore what follows its end. */
export interface Compression {
  readonly name: 'gzip' | 'deflate' | 'br' | 'zstd'
  readonly sync: (input: Buffer, settings: { maxOutputLength: number }) => Buffer
  readonly stream: (settings: Settings) => Transform
  /** Takes what can be had of an input without its end. */
  readonly flush: number
}

/** What a decoder holds of what it has given out: 8 MB at most, as for all of HTTP (RFC 9659). */
const zstdWindow: ZstdOptions = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

const gzip: Compression = {
  name: 'gzip',
  sync: gunzipSync,
  stream: createGunzip,
  flush: constants.Z_SYNC_FLUSH,
}
const zlib: Compression = {
  name: 'deflate',
  sync: inflateSync,
  stream: createInflate,
  flush: constants.Z_SYNC_FLUSH,
}
const rawDeflate: Compression = { ...zlib, sync: inflateRawSync, stream: createInflateRaw }
const brotli: Compression = {
  name: 'br',
  sync: brotliDecompressSync,
  stream: createBrotliDecompress,
  flush: constants.BROTLI_OPERATION_FLUSH,
}
const zstd: Compression = {
  name: 'zstd',
  sync: (input, settings) => zstdDecompressSync(input, { ...zstdWindow, ...settings }),
  stream: (settings) => createZstdDecompress({ ...zstdWindow, ...settings }),
  flush: constants.ZSTD_e_flush,
}

/** By the name of its coding, in lower case, and the first bytes of the data; null for one that is not known. */
export function compressionOf(name: string, data: readonly Buffer[]): Compression | null {
  if (name === 'gzip' || name === 'x-gzip') return gzip
  if (name === 'br') return brotli
  if (name === 'zstd') return zstd
  if (name !== 'deflate') return null
  // Half of the world sends the bare stream, without the header of zlib (RFC 1950 §2.2).
  const [method = 0, flags = 0] = Buffer.concat(data.slice(0, 2).map((chunk) => chunk.subarray(0, 2)))
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0 ? zlib : rawDeflate
}
