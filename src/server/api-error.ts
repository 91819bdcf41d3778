import { type ApiErrorCode, apiErrors, type ErrorBody } from '../contract/errors.ts'
import type { Fault } from '../lib/validate.ts'

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

/** `source` is where the faults are: payload, query, params or headers. */
export function inputInvalid(faults: readonly Fault[], source = 'payload'): ApiError {
  const message = faults.map(({ text }) => text).join('; ')
  return new ApiError('INPUT_INVALID', message, { source, keys: faults.map(({ path }) => path) })
}
