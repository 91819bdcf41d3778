import { ApiError } from '../http/api-error.ts'

/** What one resource may hold: a list of a hundred of them is an answer that a client and we can bear. */
const mostKiB = 256

interface DefinitionTextOptions {
  /** What people call it: `snippet`. */
  readonly what: string
  readonly mostKiB?: number
}

/** A definition as it is stored: JSON. @throws ApiError 413 when it is too much */
export function definitionText(
  definition: unknown,
  { what, mostKiB: most = mostKiB }: DefinitionTextOptions,
): string {
  const text = JSON.stringify(definition)
  const kib = Math.ceil(Buffer.byteLength(text) / 1024)
  if (kib <= most) return text
  const size = `A ${what} holds at most ${most} KiB in all, and this one would hold ${kib}`
  throw new ApiError('BODY_TOO_LARGE', `${size}: shorten its texts, or make two of it`)
}
