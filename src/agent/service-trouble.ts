import { AppError } from '../lib/app-error.ts'
import type { Logger } from '../lib/logger.ts'

/**
 * Says what is wrong between agent and service: once when it begins, and once when it is over, however many loops meet
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
    if (known) this.#logger.debug(details, 'still in trouble with the service')
    else if (code === 'SERVICE_UNAVAILABLE') this.#logger.warn(details, 'the service cannot be reached')
    else if (code === 'API_KEY_REJECTED') this.#logger.error(details, 'the service does not accept API_KEY')
    else this.#logger.error(details, 'the agent and its service do not understand each other')
  }

  worked(what: string): void {
    for (const [code, failing] of this.#failing) {
      if (!failing.delete(what) || failing.size > 0) continue
      this.#logger.info({ code }, 'the trouble with the service is over')
    }
  }
}

/** The stable code of an error, for logs and health reports. */
export function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : 'UNEXPECTED'
}
