import { decodeText, encodingOf } from './decode-text.ts'
import { type Decompressed, type DecompressOptions, decompress } from './decompress.ts'
import type { RawResponse } from './exchange.ts'
import { transferCodings } from './transfer-codings.ts'

export interface DecodeOptions extends DecompressOptions {
  /** A binary body is given as text too (semantics §3: when a TEXT_BODY assertion asks). */
  readonly binaryAsText: boolean
}

export interface DecodedBody {
  /** Null for a binary body. */
  readonly text: string | null
  readonly bytes: number
  readonly truncated: boolean
}

const binaryTypes =
  /^(image\/(?!svg)|audio\/|video\/|font\/|application\/(octet-stream|pdf|zip|gzip|x-gzip|wasm|zstd|x-tar|x-7z-compressed|vnd\.rar|protobuf|x-protobuf|grpc|msgpack|cbor)\b)/i
const charsetParameter = /;\s*charset\s*=\s*["']?([^\s"';]+)/i

/**
 * The body as text: a small one at once, a large one without holding up others.
 * @throws Error when one of its codings does not hold, AppError BODY_MEMORY_FULL
 */
export function decodeBody(
  response: RawResponse,
  options: DecodeOptions,
): DecodedBody | Promise<DecodedBody> {
  const { chunks, capped } = response
  const codings = codingsOf(response)
  if (codings.length === 0) return toText(response, { chunks, capped }, options)
  const expanded = decompress(chunks, codings, { ...options, partial: options.partial || capped })
  return expanded instanceof Promise
    ? expanded.then((data) => toText(response, data, options))
    : toText(response, expanded, options)
}

function toText(
  response: RawResponse,
  { chunks, capped }: Decompressed,
  { binaryAsText, partial }: DecodeOptions,
): DecodedBody | Promise<DecodedBody> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const truncated = partial || capped || response.capped
  const contentType = headerText(response, 'content-type')
  const encoding = encodingOf(chunks, charsetParameter.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8')
  if (!binaryAsText && isBinary(chunks, contentType, encoding)) return { text: null, bytes, truncated }
  const text = decodeText(chunks, encoding)
  return typeof text === 'string'
    ? { text, bytes, truncated }
    : text.then((decoded) => ({ text: decoded, bytes, truncated }))
}

/** In the order in which they were applied: those of the content first, then those of its transfer. */
function codingsOf(response: RawResponse): string[] {
  const content = headerText(response, 'content-encoding')
  const { compressions = [] } = transferCodings(response.headers) ?? {}
  if (content === '') return [...compressions]
  const names = content.split(',').map((name) => name.trim().toLowerCase())
  return [...names.filter((name) => name !== '' && name !== 'identity'), ...compressions]
}

function headerText({ headers }: RawResponse, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : (value?.join(', ') ?? '')
}

function isBinary(chunks: readonly Buffer[], contentType: string, encoding: string): boolean {
  // Text in these has NUL bytes of its own.
  const isWide = encoding.startsWith('utf-16')
  const isOfBinaryType = binaryTypes.test(contentType) && chunks.some(({ length }) => length > 0)
  return isOfBinaryType || (!isWide && chunks.some((chunk) => chunk.includes(0)))
}
