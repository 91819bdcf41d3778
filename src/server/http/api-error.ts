import { type ApiErrorCode, apiErrors, type ErrorBody } from '../../contract/errors.ts'
import type { Fault } from '../../lib/find-faults.ts'

/** An answer other than success. The message is for the person who reads it and never carries a secret. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly statusCode: number
  readonly validation: ErrorBody['validation']

  constructor(code: ApiErrorCode, message: string, validation?: ErrorBody['validation']) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.statusCode = apiErrors[code].statusCode
    this.validation = validation
  }

  body(): ErrorBody {
    const body = { statusCode: this.statusCode, error: apiErrors[this.code].error, message: this.message }
    return this.validation ? { ...body, validation: this.validation } : body
  }
}

export const notFound = (what: string): ApiError => new ApiError('NOT_FOUND', `There is no such ${what}`)

/** What was looked for. @throws ApiError 404 */
export function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw notFound(what)
  return value
}

/** An answer that names each of the thousands of faults that a body can have would be larger than the body. */
const mostTold = 20

/** `source` is where the faults are: payload, query, params or headers. */
export function inputInvalid(faults: readonly Fault[], source = 'payload'): ApiError {
  const told = faults.slice(0, mostTold)
  const more = faults.length > told.length ? [`and ${faults.length - told.length} more`] : []
  const message = [...told.map(({ text }) => text), ...more].join('; ')
  return new ApiError('INPUT_INVALID', message, { source, keys: told.map(({ path }) => path) })
}
