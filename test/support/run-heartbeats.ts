import type { ClaimResponse } from '../../src/contract/agent-protocol.ts'
import type { Result } from '../../src/contract/result.ts'
import type { Run } from '../../src/contract/run.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { LocationWatch } from '../../src/server/loops/location-watch.ts'
import { schedulerTurn } from '../../src/server/loops/scheduler.ts'
import { agentCapabilities, agentId, resultOf } from './agent-messages.ts'
import type { HeartbeatService } from './heartbeat-service.ts'

const logger = createLogger({ name: 'test', level: 'ERROR', pretty: false })
const capabilities = { ...agentCapabilities, checkTypes: ['HEARTBEAT'] as const }

/** Heartbeats that are run, by an agent that is the test itself. */
export class RunHeartbeats {
  readonly #service: HeartbeatService
  readonly #locations: LocationWatch
  readonly #held = new Set<string>()

  constructor(service: HeartbeatService) {
    this.#service = service
    const { database, clock } = service
    this.#locations = new LocationWatch({ db: database.kysely, logger, startedAt: clock.now() })
  }

  /** Of a period of one minute and no grace. */
  create(changes: object = {}): Promise<{ readonly id: string; readonly token: string }> {
    return this.#service.heartbeat({
      request: { url: 'http://127.0.0.1:1/' },
      locations: ['eu-central-1'],
      heartbeat: { period: 1, periodUnit: 'minutes', grace: 0, graceUnit: 'minutes' },
      ...changes,
    })
  }

  plan(): Promise<number> {
    return schedulerTurn({ ...this.#service, locations: this.#locations })
  }

  /** The next run, at its time, with the service alive until then. */
  async next(): Promise<Run> {
    const run = await this.#nextAfter((ms) => this.#service.pass(ms))
    await this.#service.pass(Math.max(0, run.dueAt - this.#service.clock.now()))
    return run
  }

  /** The same, and no heartbeat is looked at until then. */
  nextUnseen(): Promise<Run> {
    return this.#nextAfter(async (ms) => this.#service.clock.advance(ms))
  }

  async #nextAfter(wait: (ms: number) => Promise<void>): Promise<Run> {
    for (;;) {
      await this.plan()
      await this.#service.agent('leases', { agentId, runIds: [...this.#held] })
      const claim = { agentId, capabilities, slots: 1, waitMs: 0 }
      const { runs } = (await this.#service.agent('claims', claim)).json<ClaimResponse>()
      const [run] = runs
      if (run) {
        this.#held.add(run.id)
        return run
      }
      await wait(1000)
    }
  }

  /** The run ends so at this instant. */
  async report(
    run: Run,
    state: Parameters<typeof resultOf>[2],
    changes: Partial<Result> = {},
  ): Promise<void> {
    this.#held.delete(run.id)
    const now = this.#service.clock.now()
    const times = { startedAt: now, stoppedAt: now }
    const results = [resultOf(run, now, state, { ...times, ...changes })]
    const answer = await this.#service.agent('results', { agentId, results })
    if (answer.statusCode !== 200) throw new Error(answer.body)
  }
}
