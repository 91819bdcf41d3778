import { decompress } from './decompress.ts'
import type { RawResponse } from './exchange.ts'

export interface DecodeOptions {
  /** No more than this is kept of what a body expands to. */
  readonly maxBodyBytes: number
  /** A binary body is given as text too (semantics §3: when a TEXT_BODY assertion asks). */
  readonly binaryAsText: boolean
  /** The response broke off: what can be had of it is given. */
  readonly partial: boolean
}

export interface DecodedBody {
  /** Null for a binary body. */
  readonly text: string | null
  readonly bytes: number
  readonly truncated: boolean
}

const binaryTypes =
  /^(image\/(?!svg)|audio\/|video\/|font\/|application\/(octet-stream|pdf|zip|gzip|x-gzip|wasm|zstd|x-tar|x-7z-compressed|vnd\.rar|protobuf|x-protobuf|grpc|msgpack|cbor)\b)/i
const charsetParameter = /;\s*charset\s*=\s*"?([^\s";]+)/i
const byteOrderMark = '\uFEFF'

/** The body as text. @throws Error when its content encoding does not hold. */
export async function decodeBody(response: RawResponse, options: DecodeOptions): Promise<DecodedBody> {
  const partial = options.partial || response.capped
  const [only] = response.chunks
  const raw = response.chunks.length === 1 && only ? only : Buffer.concat(response.chunks)
  const encoding = headerText(response, 'content-encoding')
  const { data, capped } =
    encoding === ''
      ? { data: raw, capped: false }
      : await decompress(raw, encoding, { maxBytes: options.maxBodyBytes, partial })
  const contentType = headerText(response, 'content-type')
  const charset = charsetParameter.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'
  const asText = options.binaryAsText || !isBinary(data, contentType, charset)
  return {
    text: asText ? decodeText(data, charset) : null,
    bytes: data.length,
    truncated: partial || capped,
  }
}

function headerText({ headers }: RawResponse, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : (value?.join(', ') ?? '')
}

function isBinary(data: Buffer, contentType: string, charset: string): boolean {
  if (data.length === 0) return false
  // Text in these has NUL bytes of its own.
  const wide = charset.startsWith('utf-16')
  return binaryTypes.test(contentType) || (!wide && data.includes(0))
}

function decodeText(data: Buffer, charset: string): string {
  if (charset !== 'utf-8' && charset !== 'utf8') {
    const decoder = decoderOf(charset)
    if (decoder) return decoder.decode(data)
  }
  const text = data.toString('utf8')
  return text.startsWith(byteOrderMark) ? text.slice(1) : text
}

/** Null for a charset that nobody knows: UTF-8 then. */
function decoderOf(charset: string): TextDecoder | null {
  try {
    return new TextDecoder(charset)
  } catch {
    return null
  }
}
