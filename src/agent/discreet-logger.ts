import type { Logger } from '../lib/logger.ts'
import { safeMessage, safeStack } from './safe-stack.ts'

/** A logger that tells of a foreign error its name, code and place, never its message: that may hold a secret of a check. */
export function discreetLogger(logger: Logger): Logger {
  const err = (error: unknown) => ({ message: safeMessage(error), stack: safeStack(error) })
  return logger.child({}, { serializers: { err } })
}
