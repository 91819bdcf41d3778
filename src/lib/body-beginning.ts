import type { Readable } from 'node:stream'

/**
 * The first `keptBytes` of a body as text, whatever it is made of; null for an empty one. The rest is read and dropped. It
 * resolves when a body breaks off, too.
 */
export function readBodyBeginning(body: Readable, keptBytes: number): Promise<string | null> {
  return new Promise((resolve) => {
    const kept: Buffer[] = []
    let bytes = 0
    body.on('data', (chunk: Buffer) => {
      if (bytes < keptBytes) kept.push(chunk.subarray(0, keptBytes - bytes))
      bytes += chunk.length
    })
    const end = () => resolve(bytes === 0 ? null : storableText(textOf(Buffer.concat(kept))))
    body.on('end', end)
    body.on('error', end)
    body.on('close', end)
  })
}

/** A character that the cut went through is left out. */
const textOf = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true })

/** PostgreSQL keeps no NUL, and no half of a surrogate pair. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed()
