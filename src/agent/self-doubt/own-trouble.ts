import type { Logger } from '../../lib/logger.ts'
import type { OwnFault } from './own-fault-texts.ts'

/** A fault of ours that was found. */
export interface Finding {
  /** What is one and the same trouble, though its messages differ. */
  readonly about: string
  readonly fault: OwnFault
  /** Asks again. */
  readonly isOver: () => Promise<boolean>
}

export interface OwnTroubleOptions {
  readonly logger: Logger
  /** How often it is looked whether a trouble is over: every 10 s unless told. */
  readonly lookAgainMs?: number
}

interface Trouble {
  /** Those that said nothing about their target. */
  attempts: number
  timer: NodeJS.Timeout | null
}

/**
 * Says what of our own keeps attempts from telling about their targets: once when it begins, and once when it is over,
 * however many attempts meet it. A WARN, since it may pass by itself.
 */
export class OwnTrouble {
  readonly #logger: Logger
  readonly #lookAgainMs: number
  readonly #going = new Map<string, Trouble>()

  constructor({ logger, lookAgainMs = 10_000 }: OwnTroubleOptions) {
    this.#logger = logger
    this.#lookAgainMs = lookAgainMs
  }

  met(finding: Finding): void {
    const { reason, message } = finding.fault
    const going = this.#going.get(finding.about)
    if (going) {
      going.attempts += 1
      this.#logger.debug({ reason, message }, 'still in trouble of our own')
      return
    }
    this.#logger.warn({ reason }, `nothing is said about a target: ${message}`)
    const trouble: Trouble = { attempts: 1, timer: null }
    this.#going.set(finding.about, trouble)
    this.#lookLater(finding, trouble)
  }

  close(): void {
    for (const { timer } of this.#going.values()) if (timer) clearTimeout(timer)
    this.#going.clear()
  }

  #lookLater(finding: Finding, trouble: Trouble): void {
    trouble.timer = setTimeout(() => void this.#look(finding, trouble), this.#lookAgainMs).unref()
  }

  async #look(finding: Finding, trouble: Trouble): Promise<void> {
    const over = await finding.isOver().catch(() => false)
    if (this.#going.get(finding.about) !== trouble) return
    if (!over) return this.#lookLater(finding, trouble)
    this.#going.delete(finding.about)
    const { attempts } = trouble
    this.#logger.info({ reason: finding.fault.reason, attempts }, 'the trouble of our own is over')
  }
}
