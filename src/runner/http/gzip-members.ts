import { createGunzip } from 'node:zlib'
import { type Expanded, type ExpandOptions, expand } from './expand.ts'

const chunkBytes = 65_536
/** Each takes a decoder of its own. */
const maxMembers = 1000
/** Two bytes that tell gzip, and its only method (RFC 1952 §2.3). */
const memberBegins = Buffer.from([0x1f, 0x8b, 8])

const trailingJunk = 'ERR_TRAILING_JUNK_AFTER_STREAM_END'

/**
 * A gzip body with something behind it that is none: the decoder itself would take that for a broken member. The
 * members are expanded one by one, and what follows the last is ignored, as with the other codings and in browsers.
 * @throws Error of node:zlib where a member does not hold, Error for more members than are tried, AppError BODY_MEMORY_FULL
 */
export async function expandMembers(
  input: readonly Buffer[],
  options: ExpandOptions & { readonly finishFlush?: number },
): Promise<Expanded> {
  const { maxBodyBytes, allowance, finishFlush } = options
  const chunks: Buffer[] = []
  let bytes = 0
  let rest = Buffer.concat(input)
  for (let member = 0; member < maxMembers; member += 1) {
    const stream = createGunzip({
      chunkSize: chunkBytes,
      rejectGarbageAfterEnd: true,
      ...(finishFlush !== undefined && { finishFlush }),
    })
    const limits = { maxBodyBytes: maxBodyBytes - bytes, allowance, endsBy: trailingJunk }
    const expanded = await expand(stream, [rest], limits)
    chunks.push(...expanded.chunks)
    bytes += expanded.bytes
    rest = rest.subarray(stream.bytesWritten)
    if (expanded.cut || !isMember(rest)) return { chunks, bytes, cut: expanded.cut }
  }
  throw new Error('the body has too many gzip members')
}

function isMember(data: Buffer): boolean {
  return data.subarray(0, memberBegins.length).equals(memberBegins)
}
