import { AppError } from '../lib/app-error.ts'

const texts = {
  busy: 'The database is busy',
  full: 'The database has no room',
  unwritable: 'The database cannot be written',
  away: 'The database cannot be reached',
  slow: 'The database did not answer in time',
} as const

const code = 'DATABASE_UNAVAILABLE'

/** Storage cannot do its work now and may do it later: nothing is wrong with what was asked of it. */
export function unavailable(why: keyof typeof texts, cause: unknown): AppError {
  return new AppError(code, texts[why], { cause })
}

export function isUnavailable(error: unknown): error is AppError {
  return error instanceof AppError && error.code === code
}
