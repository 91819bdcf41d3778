import type { HealthReport } from '../health/health-server.ts'
import type { Clock } from '../lib/clock.ts'
import type { Contact } from './away/contact.ts'
import type { HeldRuns } from './held-runs.ts'
import { emptyStats, type OutboxStats } from './outbox/messages.ts'
import type { RunQueue } from './queue.ts'
import { codeOf } from './service-trouble.ts'

export interface AgentStatusOptions {
  readonly version: string
  readonly clock: Clock
  readonly queue: RunQueue
  readonly held: HeldRuns
}

/** How the agent is, for its health endpoints. */
export class AgentStatus {
  readonly #options: AgentStatusOptions
  readonly #startedMs: number
  #lastPollAt: number | null = null
  #lastPollError: string | null = null
  #ownRuns = 0
  phase: 'starting' | 'running' | 'draining' = 'starting'
  outbox: () => OutboxStats = () => emptyStats
  unsentPings: () => number = () => 0
  icmp: HealthReport['icmp'] = { way: 'none', advice: null }
  contact: Pick<Contact, 'awayMs'> = { awayMs: 0 }

  constructor(options: AgentStatusOptions) {
    this.#options = options
    this.#startedMs = options.clock.monotonicMs()
  }

  polled(): void {
    this.#lastPollAt = this.#options.clock.now()
    this.#lastPollError = null
  }

  pollFailed(error: unknown): void {
    this.#lastPollError = codeOf(error)
  }

  /** Runs that the agent planned by itself. */
  planned(runs: number): void {
    this.#ownRuns += runs
  }

  /** Null when the outbox is empty. */
  outboxAgeSeconds(): number | null {
    const { oldestAgeMs } = this.outbox()
    return oldestAgeMs === null ? null : oldestAgeMs / 1000
  }

  report(): HealthReport {
    const { version, clock, queue, held } = this.#options
    const { running, waiting, concurrency } = queue
    return {
      status: this.phase === 'draining' ? 'draining' : 'ok',
      version,
      uptimeSeconds: Math.round((clock.monotonicMs() - this.#startedMs) / 1000),
      queue: { running, waiting, held: held.size, concurrency },
      outbox: { depth: this.outbox().depth, oldestAgeSeconds: this.outboxAgeSeconds() },
      away: { since: this.#awaySince(), ownRuns: this.#ownRuns },
      icmp: this.icmp,
      lastPollAt: this.#lastPollAt === null ? null : new Date(this.#lastPollAt).toISOString(),
      lastPollError: this.#lastPollError,
    }
  }
  #awaySince(): string | null {
    const { awayMs } = this.contact
    return awayMs === 0 ? null : new Date(this.#options.clock.now() - awayMs).toISOString()
  }
}
