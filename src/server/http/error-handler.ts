import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiErrorCode, apiErrors } from '../../contract/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { ApiError } from './api-error.ts'

type Answers = Readonly<Record<string, readonly [ApiErrorCode, string]>>

/** What the HTTP library calls it, in our words. */
const requestFaults: Answers = {
  FST_ERR_CTP_INVALID_JSON_BODY: ['INPUT_INVALID', 'the body is not valid JSON'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'INPUT_INVALID',
    'the body does not have the length that was announced',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: ['BODY_TOO_LARGE', 'the body is too large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['MEDIA_TYPE_UNSUPPORTED', 'the body must be application/json'],
  FST_ERR_BAD_URL: ['INPUT_INVALID', 'the URL cannot be decoded'],
  FST_ERR_MAX_PARAM_LENGTH: ['INPUT_INVALID', 'a part of the path is too long'],
  ERR_CONTENT_ENCODING: ['INPUT_INVALID', 'the body is not in the content-encoding that was announced'],
}

/** What the databases call it: SQLite by its primary result codes (5 busy, 13 full). */
const storageFaults: Answers = {
  'SQLITE 5': ['UNAVAILABLE', 'the database is busy, try again'],
  'SQLITE 13': ['UNAVAILABLE', 'the database has no room, try again later'],
  ECONNREFUSED: ['UNAVAILABLE', 'the database cannot be reached, try again'],
  ECONNRESET: ['UNAVAILABLE', 'the database cannot be reached, try again'],
  '57P01': ['UNAVAILABLE', 'the database is restarting, try again'],
  '57P03': ['UNAVAILABLE', 'the database is starting, try again'],
}

const unreadable = ['INPUT_INVALID', 'the request cannot be read'] as const

function codeOf(error: Error): string {
  if ('errcode' in error && typeof error.errcode === 'number') return `SQLITE ${error.errcode & 0xff}`
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Everything that is thrown in a route ends here, as the error body of service.md. */
function toApiError(error: FastifyError | Error): ApiError {
  if (error instanceof ApiError) return error
  const code = codeOf(error)
  // A caller who hangs up is a reset connection as well, of which the library says that it is the request's.
  const ofRequest = 'statusCode' in error && error.statusCode !== undefined && error.statusCode < 500
  const match = requestFaults[code] ?? (ofRequest ? unreadable : storageFaults[code])
  if (match) return new ApiError(match[0], match[1])
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
