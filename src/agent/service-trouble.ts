import { AppError } from '../lib/app-error.ts'
import type { Logger } from '../lib/logger.ts'

/**
 * Says what keeps the agent from its work with the service: once when it begins, and once when it is over, however many loops meet
 * it. A rejected key is an ERROR, because somebody must act: the agent goes on trying with back-off, and stays ready,
 * so that a key allowed again is taken up; a new key needs a restart. An outage passes by itself and is a WARN.
 */
export class ServiceTrouble {
  readonly #logger: Logger
  /** By code: what fails for that reason. */
  readonly #failing = new Map<string, Set<string>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  failed(what: string, error: unknown, retryInMs: number): void {
    const code = codeOf(error)
    const failing = this.#failing.get(code) ?? new Set()
    const known = failing.size > 0
    this.#failing.set(code, failing.add(what))
    const details = { err: error, what, retryInMs: Math.round(retryInMs) }
    if (known) this.#logger.debug(details, 'still in trouble')
    else this.#logger[code === 'SERVICE_UNAVAILABLE' ? 'warn' : 'error'](details, advice(code))
  }

  worked(what: string): void {
    for (const [code, failing] of this.#failing) {
      if (!failing.delete(what) || failing.size > 0) continue
      this.#logger.info({ code }, 'the trouble is over')
    }
  }
}

/** What is wrong, and where somebody who must act should look. */
function advice(code: string): string {
  switch (code) {
    case 'SERVICE_UNAVAILABLE':
      return 'the service cannot be reached: results are kept until it can'
    case 'API_KEY_REJECTED':
      return 'the service does not accept API_KEY: look whether it was revoked'
    case 'SERVICE_REFUSED':
    case 'SERVICE_ANSWER_INVALID':
      return 'the agent and its service do not understand each other: look at API_URL and at the versions of both'
    case 'OUTBOX_FAILED':
      return 'the outbox cannot be read or written: look at the disk of PICKET_DATA_DIR'
    default:
      return 'an unexpected fault of the agent: trying again'
  }
}

/** The stable code of an error, for logs and health reports. */
export function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : 'UNEXPECTED'
}
