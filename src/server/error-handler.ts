import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiErrorCode, apiErrors } from '../contract/errors.ts'
import type { Logger } from '../lib/logger.ts'
import { ApiError } from './api-error.ts'

/** What the HTTP library and the databases call it, in our words. */
const known: Readonly<Record<string, readonly [ApiErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['INPUT_INVALID', 'the body is not valid JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'INPUT_INVALID',
    'the body does not have the length that was announced',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'the body is too large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['MEDIA_TYPE_UNSUPPORTED', 'the body must be application/json'],
  FST_ERR_BAD_URL: ['INPUT_INVALID', 'the URL cannot be decoded'],
  ERR_CONTENT_ENCODING: ['INPUT_INVALID', 'the body is not in the content-encoding that was announced'],
  SQLITE_BUSY: ['UNAVAILABLE', 'the database is busy, try again'],
  SQLITE_FULL: ['UNAVAILABLE', 'the database has no room, try again later'],
  ECONNREFUSED: ['UNAVAILABLE', 'the database cannot be reached, try again'],
  ECONNRESET: ['UNAVAILABLE', 'the database cannot be reached, try again'],
  '57P01': ['UNAVAILABLE', 'the database is restarting, try again'],
  '57P03': ['UNAVAILABLE', 'the database is starting, try again'],
}

/** Everything that is thrown in a route ends here, as the error body of service.md. */
function toApiError(error: FastifyError | Error): ApiError {
  if (error instanceof ApiError) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const match = known[code]
  if (match) return new ApiError(match[0], match[1])
  if (error instanceof SyntaxError) return new ApiError('INPUT_INVALID', 'the body is not valid JSON')
  return new ApiError('INTERNAL', 'Something went wrong here; it was logged')
}

export function errorHandler(logger: Logger) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const answer = toApiError(error)
    if (answer.statusCode >= apiErrors.INTERNAL.statusCode) {
      logger.error(
        { err: error, method: request.method, route: request.routeOptions.url },
        'a request failed',
      )
    }
    if (answer.code === 'UNAVAILABLE') reply.header('retry-after', '1')
    return reply.code(answer.statusCode).send(answer.body())
  }
}
