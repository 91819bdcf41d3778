import type { Schedules } from '../../contract/agent-schedules.ts'
import type { Run } from '../../contract/run.ts'
import type { Logger } from '../../lib/logger.ts'
import { loop } from '../../lib/loop.ts'
import type { ServiceClock } from '../service-clock.ts'
import type { Contact } from './contact.ts'
import { OwnPlan } from './own-plan.ts'

export interface GoOnAloneOptions {
  readonly logger: Logger
  readonly clock: ServiceClock
  readonly contact: Contact
  readonly freeSlots: () => number
  /** Takes a run on its way; false where nothing is known of its check, or it is under way already. */
  readonly follow: (run: Run) => boolean
  /** A claim that does not wait: tells the contact whether the service can be reached. Never rejects. */
  readonly ask: (signal: AbortSignal) => Promise<void>
  /** 0: never. */
  readonly maxAwayMs: number
  readonly onPlanned: (runs: number) => void
}

/** Runs are on their way this long before they are due. */
const aheadMs = 500
/** A slot that no claim has given to anybody this long after it was due is asked for. */
const graceMs = 1000
const askEveryMs = 2000
/** An answer that takes longer than this may never come. */
const unansweredMs = 5000
const lookMs = 250

/**
 * While the service cannot be reached: the slots of this agent's locations that no claim has covered are its own to
 * run, each at its time. See docs/decisions/0011.
 */
export class OnItsOwn {
  readonly #options: GoOnAloneOptions
  #schedules: Schedules | null = null
  #plan: OwnPlan | null = null
  #askedMs = Number.NEGATIVE_INFINITY
  #away = false
  #planned = 0
  #saidTooLong = false

  constructor(options: GoOnAloneOptions) {
    this.#options = options
  }

  use(schedules: Schedules): void {
    this.#schedules = schedules
    this.#plan = null
  }

  /** Until the signal ends it. */
  goOn(signal: AbortSignal): Promise<void> {
    return loop({
      turn: async () => {
        await this.#turn(signal)
        return lookMs
      },
      onError: (err) => this.#options.logger.error({ err }, 'an unexpected fault of the agent: trying again'),
      signal,
    })
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { contact, clock, maxAwayMs } = this.#options
    const { state, coveredUntil } = contact
    this.#say(state === 'away')
    if (maxAwayMs === 0 || coveredUntil === null || !this.#schedules) return
    this.#plan ??= new OwnPlan(this.#schedules, coveredUntil)
    this.#plan.skipUntil(coveredUntil)
    const { nextDueAt } = this.#plan
    if (state === 'shut-out') this.#plan.skipUntil(clock.now())
    if (state === 'away') this.#runOwn(this.#plan)
    if (this.#mayAsk(nextDueAt)) await this.#ask(signal)
  }

  /** Nobody was given a slot that is due, or the claim that is under way is not answered: is the service there? */
  #mayAsk(nextDueAt: number | null): boolean {
    const { contact, clock, freeSlots } = this.#options
    const { state, waitingMs, inDoubt } = contact
    if (state === 'shut-out' || inDoubt || clock.monotonicMs() - this.#askedMs < askEveryMs) return false
    if (freeSlots() === 0) return false
    if (state === 'away') return waitingMs > unansweredMs
    return nextDueAt !== null && clock.now() > nextDueAt + graceMs
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { clock, ask } = this.#options
    this.#askedMs = clock.monotonicMs()
    await ask(signal)
  }

  #runOwn(plan: OwnPlan): void {
    const { clock, contact, maxAwayMs, freeSlots, follow, onPlanned } = this.#options
    const now = clock.now()
    if (contact.awayMs > maxAwayMs) {
      plan.skipUntil(now)
      this.#sayTooLong()
      return
    }
    const runs = plan.take(now, now + aheadMs, freeSlots()).filter(follow)
    this.#planned += runs.length
    if (runs.length > 0) onPlanned(runs.length)
  }

  #say(away: boolean): void {
    if (away === this.#away) return
    this.#away = away
    const { logger, maxAwayMs } = this.#options
    const checks = this.#schedules?.checks.length ?? 0
    if (!away) logger.info({ runs: this.#planned }, 'the service can be reached: it plans the runs')
    else if (checks > 0)
      logger.warn({ checks, maxAwayMs }, 'away from the service: its checks go on by themselves')
    else
      logger.warn(
        'away from the service, and none of its checks are held here: none runs until it can be reached',
      )
    this.#planned = 0
    this.#saidTooLong = false
  }

  #sayTooLong(): void {
    if (this.#saidTooLong) return
    this.#saidTooLong = true
    this.#options.logger.error('away from the service for longer than PICKET_AWAY_MAX_HOURS: no checks run')
  }
}
