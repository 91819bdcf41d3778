import { type Static, Type } from 'typebox'

/** Every error of the HTTP API, by our code: its status and the name that the status has (service.md, Errors). */
export const apiErrors = {
  INPUT_INVALID: { statusCode: 400, error: 'Bad Request' },
  UNAUTHORIZED: { statusCode: 401, error: 'Unauthorized' },
  NOT_AVAILABLE: { statusCode: 402, error: 'Payment Required' },
  FORBIDDEN: { statusCode: 403, error: 'Forbidden' },
  NOT_FOUND: { statusCode: 404, error: 'Not Found' },
  METHOD_NOT_ALLOWED: { statusCode: 405, error: 'Method Not Allowed' },
  NOT_COMPLETE: { statusCode: 408, error: 'Request Timeout' },
  CONFLICT: { statusCode: 409, error: 'Conflict' },
  BODY_TOO_LARGE: { statusCode: 413, error: 'Payload Too Large' },
  MEDIA_TYPE_UNSUPPORTED: { statusCode: 415, error: 'Unsupported Media Type' },
  TOO_MANY_REQUESTS: { statusCode: 429, error: 'Too Many Requests' },
  INTERNAL: { statusCode: 500, error: 'Internal Server Error' },
  UNAVAILABLE: { statusCode: 503, error: 'Service Unavailable' },
} as const satisfies Record<string, { statusCode: number; error: string }>
export type ApiErrorCode = keyof typeof apiErrors

/** The body of every error answer. `validation` names the faulty fields of a 400. */
export const ErrorBody = Type.Object({
  statusCode: Type.Integer(),
  error: Type.String(),
  message: Type.String(),
  attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  validation: Type.Optional(Type.Object({ source: Type.String(), keys: Type.Array(Type.String()) })),
})
export type ErrorBody = Static<typeof ErrorBody>
