import type { ReceivedHeaders, ResponseHead } from './response-head.ts'
import { transferCodings } from './transfer-codings.ts'

/** Bytes of the body, or how its end is known. */
export type BodyFraming = number | 'chunked' | 'until-close' | 'malformed'

const digits = /^\d{1,15}$/

/** How long the body of a response is (RFC 9112 §6.3). */
export function bodyFraming({ status, headers }: ResponseHead, requestMethod: string): BodyFraming {
  const length = contentLength(headers)
  if (length === 'malformed') return 'malformed'
  // What follows 101 is no HTTP.
  if (requestMethod === 'HEAD' || status < 200 || status === 204 || status === 304) return 0
  return transferFraming(headers) ?? length
}

/** Null without a transfer coding. */
function transferFraming(headers: ReceivedHeaders): BodyFraming | null {
  if (headers['transfer-encoding'] === undefined) return null
  const codings = transferCodings(headers)
  if (codings === null) return 'malformed'
  return codings.chunked ? 'chunked' : 'until-close'
}

/** One that is told more than once, in lines or as a list, must be the same each time. */
function contentLength(headers: ReceivedHeaders): number | 'until-close' | 'malformed' {
  const value = headers['content-length']
  if (value === undefined) return 'until-close'
  if (typeof value === 'string' && digits.test(value)) return Number(value)
  const [first = '', ...others] = listed(value)
  const isSame = (other: string) => digits.test(other) && Number(other) === Number(first)
  return digits.test(first) && others.every(isSame) ? Number(first) : 'malformed'
}

function listed(value: string | readonly string[]): string[] {
  const text = typeof value === 'string' ? value : value.join(',')
  return text.split(',').map((part) => part.trim())
}
