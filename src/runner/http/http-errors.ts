/** What an exchange fails by, apart from what the system says of its socket. */
export type HttpErrorCode =
  | 'REQUEST_INVALID'
  | 'HTTP_MALFORMED'
  | 'HTTP_HEADERS_TOO_LARGE'
  | 'HTTP_TRUNCATED'
  | 'HTTP_CLOSED'

/** Says what happened by its code only: there is one of each, so that a dead target costs no stack trace. */
export class HttpError extends Error {
  readonly code: HttpErrorCode

  constructor(code: HttpErrorCode, message: string) {
    super(message)
    this.name = 'HttpError'
    this.code = code
  }
}

export const requestInvalid = new HttpError('REQUEST_INVALID', 'a method or header cannot be written')
export const malformed = new HttpError('HTTP_MALFORMED', 'the answer is not HTTP/1')
export const headersTooLarge = new HttpError(
  'HTTP_HEADERS_TOO_LARGE',
  'the heads of the answer are too large',
)
export const truncated = new HttpError('HTTP_TRUNCATED', 'the connection ended before the answer did')
export const closed = new HttpError('HTTP_CLOSED', 'the connection ended without an answer')
