import type { Transform } from 'node:stream'
import type { BodyAllowance } from '../body-allowance.ts'

export interface ExpandOptions {
  /** What it expands to is cut here. */
  readonly maxBodyBytes: number
  readonly allowance: BodyAllowance
  /** By its code, an error that is the end of the data all the same. */
  readonly endsBy?: string
}

export interface Expanded {
  readonly chunks: readonly Buffer[]
  readonly bytes: number
  /** It would have gone on. */
  readonly cut: boolean
}

/**
 * Everything that a stream makes of its input, up to the limit. @throws Error of node:zlib where the data does not
 * hold, AppError BODY_MEMORY_FULL
 */
export function expand(
  stream: Transform,
  input: readonly Buffer[],
  { maxBodyBytes, allowance, endsBy }: ExpandOptions,
): Promise<Expanded> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const end = (cut: boolean) => {
      stream.destroy()
      resolve({ chunks, bytes, cut })
    }
    stream.on('data', (chunk: Buffer) => {
      const room = maxBodyBytes - bytes
      const kept = chunk.length > room ? chunk.subarray(0, room) : chunk
      bytes += kept.length
      const fault = allowance.use(kept.length)
      if (fault) {
        stream.destroy(fault)
        return
      }
      chunks.push(kept)
      if (chunk.length > room) end(true)
    })
    stream.on('end', () => end(false))
    stream.on('error', (error: Error & { code?: string }) => {
      if (endsBy !== undefined && error.code === endsBy) return end(false)
      allowance.letGo(bytes)
      reject(error)
    })
    for (const chunk of input) stream.write(chunk)
    stream.end()
  })
}
