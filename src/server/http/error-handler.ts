import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ApiErrorCode, apiErrors } from '../../contract/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { isUnavailable } from '../../storage/unavailable.ts'
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

const unreadable = ['INPUT_INVALID', 'the request cannot be read'] as const

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** Everything that is thrown in a route ends here, as the error body of service.md. */
function toApiError(error: FastifyError | Error): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) return new ApiError('UNAVAILABLE', `${error.message}: try again`)
  const ofRequest = 'statusCode' in error && error.statusCode !== undefined && error.statusCode < 500
  const match = requestFaults[codeOf(error)] ?? (ofRequest ? unreadable : undefined)
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
