/**
 * A fault of our own: a stable code, a fixed text without a URL, header, body or key; details belong in `cause`.
 * `fatal` ends the loop that meets it; any other is reported and tried again.
 */
export class AppError extends Error {
  readonly code: string
  readonly fatal: boolean

  constructor(code: string, message: string, options: { fatal?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.fatal = options.fatal ?? false
  }
}
